/// The `Accept` field of an operation (RFC 9110, section 12.5.1).
enum AcceptField {
    /// All media types that the client can read: the preferred ones of successful responses; their alternatives, which
    /// are read in the same way and have a lower weight; and those that only failures have, with the lowest weight.
    static func value(_ operation: Operation) -> String {
        let (successes, failures) = split(operation.responses)
        return joined(successes.flatMap(\.contents), failures.flatMap(\.contents))
    }

    /// The same for the streaming method: a failure is not a stream.
    static func value(_ operation: Operation, streaming response: Response) -> String {
        joined(response.stream.map { [$0] } ?? [], split(operation.responses).failures.flatMap(\.contents))
    }

    /// The media types of failures that are requested beside one media type of a success.
    static func failures(_ operation: Operation) -> [String] {
        var seen = Set<String>()
        let failures = operation.responses.filter { !$0.status.isSuccess }
        return failures.flatMap(\.contents).map(\.mediaType).filter { seen.insert($0).inserted }
    }

    /// Successful responses and others. If none is successful, `default` is.
    private static func split(_ responses: [Response]) -> (successes: [Response], failures: [Response]) {
        let isSuccess: (Response) -> Bool =
            responses.contains(where: \.status.isSuccess)
            ? { $0.status.isSuccess } : { $0.status == .default }
        return (responses.filter(isSuccess), responses.filter { !isSuccess($0) })
    }

    private static func joined(_ successes: [MediaContent], _ failures: [MediaContent]) -> String {
        // If a success is JSON, JSON of a failure is equally good: a service does not answer with it instead.
        let isJSON = successes.contains { $0.kind.codec != nil }
        let equal = successes.isEmpty ? failures : isJSON ? failures.filter { $0.kind.codec != nil } : []
        var result: [String] = []
        var seen = Set<String>()
        func add(_ types: [String], _ weight: String) {
            for type in types where seen.insert(type).inserted { result.append(type + weight) }
        }
        add((successes + equal).map(\.mediaType), "")
        add((successes.isEmpty ? failures : successes).flatMap(\.alternatives), ";q=0.9")
        add(failures.flatMap(\.mediaTypes), ";q=0.5")
        return result.isEmpty ? "*/*" : result.joined(separator: ", ")
    }
}
