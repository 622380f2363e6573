public import GatewayCore
public import GatewayJSON

/// A request that a service made of you: what your HTTP server got, byte for byte.
///
/// ```swift
/// let received = ReceivedWebhook(body: bytes, fields: fields)
/// let shipped = try received.verified(by: verifier).json(Bookshop.Shipment.self)
/// ```
public struct ReceivedWebhook: Sendable {
    /// The body as it came. One that was read and written anew has another signature.
    public let body: [UInt8]
    /// The header fields.
    public let fields: HTTPFields

    /// Wraps what an HTTP server got. How much it takes is for the server to bound.
    public init(body: [UInt8], fields: HTTPFields) {
        self.body = body
        self.fields = fields
    }

    /// The same, once it is known that the sender has the secret.
    ///
    /// - Throws: ``WebhookError``.
    public func verified(by verifier: WebhookVerifier) throws(WebhookError) -> ReceivedWebhook {
        try verifier.verify(body: body, fields: fields)
        return self
    }

    /// The body as JSON.
    ///
    /// - Throws: ``WebhookError`` with code `undecodable`.
    public func json<Payload: JSONDecodable>(
        _ type: Payload.Type = Payload.self
    ) throws(WebhookError) -> Payload {
        do throws(JSONError) {
            return try Payload(jsonBytes: body)
        } catch {
            throw .undecodable(error)
        }
    }
}
