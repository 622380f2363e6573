public import GatewayCore
public import GatewayJSON

/// A webhook request as your HTTP server received it.
///
/// ```swift
/// let received = ReceivedWebhook(body: bytes, fields: fields)
/// let shipped = try received.verified(by: verifier).json(Bookshop.Shipment.self)
/// ```
public struct ReceivedWebhook: Sendable {
    /// The exact bytes of the body. Why: the signature does not match a body that was decoded and encoded again.
    public let body: [UInt8]
    /// The header fields.
    public let fields: HTTPFields

    /// Creates a webhook from the parts of a request. The HTTP server must limit the size of the body.
    public init(body: [UInt8], fields: HTTPFields) {
        self.body = body
        self.fields = fields
    }

    /// Verifies the signature and returns the webhook.
    ///
    /// - Throws: ``WebhookError``.
    public func verified(by verifier: WebhookVerifier) throws(WebhookError) -> ReceivedWebhook {
        try verifier.verify(body: body, fields: fields)
        return self
    }

    /// Decodes the body as JSON.
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
