/// The `Accept` field of an operation (RFC 9110, section 12.5.1).
enum AcceptField {
    /// All media types that the client can read: those of successful responses first, the preferred one of each
    /// response before its alternatives, which have a lower weight.
    static func value(_ operation: Operation) -> String {
        joined(ordered(operation.responses).map { ($0.content?.mediaType, $0.contentAlternatives) })
    }

    /// The same for the streaming method: a failure is not a stream.
    static func value(_ operation: Operation, streaming response: Response) -> String {
        let failures = ordered(operation.responses.filter { !$0.status.isSuccess })
        return joined(
            [(response.stream?.mediaType, response.streamAlternatives)]
                + failures.map { ($0.content?.mediaType, $0.contentAlternatives) })
    }

    /// Successful responses before others.
    private static func ordered(_ responses: [Response]) -> [Response] {
        responses.filter(\.status.isSuccess) + responses.filter { !$0.status.isSuccess }
    }

    private static func joined(_ types: [(preferred: String?, alternatives: [String])]) -> String {
        var result: [String] = []
        var seen: Set<String> = []
        for type in types.compactMap(\.preferred) where seen.insert(type).inserted { result.append(type) }
        for type in types.flatMap(\.alternatives) where seen.insert(type).inserted {
            result.append(type + ";q=0.9")
        }
        return result.isEmpty ? "*/*" : result.joined(separator: ", ")
    }
}
