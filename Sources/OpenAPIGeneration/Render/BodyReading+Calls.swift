/// The runtime's calls that read a body.
extension BodyReading {
    /// The call on an `OperationReply`.
    ///
    /// - Parameters:
    ///   - span: The statuses of success.
    ///   - failure: The type of documented failures.
    func reply(_ span: [Expression], _ failure: Expression) -> MethodCall {
        switch self {
        case .value(let type, let codec):
            MethodCall(method: codec.functions.reply, arguments: [.metatype(type)] + span + [failure])
        case .text: MethodCall(method: "text", arguments: span + [failure])
        case .bytes, .stream: MethodCall(method: "stream", arguments: [failure])
        case .empty: MethodCall(method: "empty", arguments: span + [failure])
        case .several(let name):
            MethodCall(method: "success", arguments: [.metatype(.declared(name)), failure])
        }
    }

    /// The value of a `DocumentedResponse`. Nil: no body.
    var response: Expression? {
        switch self {
        case .value(let type, let codec):
            .prefixed("try", .call(.name("response." + codec.functions.response), [.metatype(type)]))
        case .text: .prefixed("try", .call("response.text", []))
        case .bytes, .stream: .call("response.bytes", [])
        case .empty, .several: nil
        }
    }

    /// The value of a `ReceivedWebhook`. Nil: no body.
    var webhook: Expression? {
        switch self {
        case .value(let type, let codec):
            .prefixed("try", .call(.name("_received." + codec.functions.webhook), [.metatype(type)]))
        case .text: .prefixed("try", .call("_received.text", []))
        case .bytes, .stream: "_received.body"
        case .empty, .several: nil
        }
    }
}
