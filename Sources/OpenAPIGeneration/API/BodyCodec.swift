/// An encoding of the values of schemas as bodies, with the runtime's functions for it.
enum BodyCodec {
    case json

    /// The names of the runtime's functions.
    struct Functions {
        /// Of `RequestBuilder`.
        let body: String
        /// Of `RequestBuilder`, for a body that can be null.
        let nullableBody: String
        /// Of `OperationReply`.
        let reply: String
        /// Of `DocumentedResponse`.
        let response: String
        /// Of `ReceivedWebhook`.
        let webhook: String
    }

    var functions: Functions {
        switch self {
        case .json:
            Functions(
                body: "jsonBody", nullableBody: "nullableJSONBody", reply: "json", response: "json",
                webhook: "payload")
        }
    }

    /// What distinguishes a type in this encoding from the same type in JSON, in the key of a shared failure.
    var mark: String {
        switch self {
        case .json: ""
        }
    }
}
