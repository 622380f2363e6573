/// The `Accept` field of an operation (RFC 9110, section 12.5.1).
enum AcceptField {
    /// All media types that the client can read: those of successful responses first, the preferred one of those that
    /// are read in the same way before its alternatives, which have a lower weight.
    static func value(_ operation: Operation) -> String {
        joined(ordered(operation.responses).flatMap(\.contents))
    }

    /// The same for the streaming method: a failure is not a stream.
    static func value(_ operation: Operation, streaming response: Response) -> String {
        let failures = ordered(operation.responses.filter { !$0.status.isSuccess })
        return joined((response.stream.map { [$0] } ?? []) + failures.flatMap(\.contents))
    }

    /// The media types of failures that are requested beside one media type of a success.
    static func failures(_ operation: Operation) -> [String] {
        var seen: Set<String> = []
        return operation.responses.filter { !$0.status.isSuccess }.flatMap(\.contents).map(\.mediaType)
            .filter { seen.insert($0).inserted }
    }

    /// Successful responses before others.
    private static func ordered(_ responses: [Response]) -> [Response] {
        responses.filter(\.status.isSuccess) + responses.filter { !$0.status.isSuccess }
    }

    private static func joined(_ contents: [MediaContent]) -> String {
        var result: [String] = []
        var seen: Set<String> = []
        for type in contents.map(\.mediaType) where seen.insert(type).inserted { result.append(type) }
        for type in contents.flatMap(\.alternatives) where seen.insert(type).inserted {
            result.append(type + ";q=0.9")
        }
        return result.isEmpty ? "*/*" : result.joined(separator: ", ")
    }
}
