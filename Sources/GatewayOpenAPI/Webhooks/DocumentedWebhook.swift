public import GatewayCore
public import GatewayJSON

/// Webhooks or callbacks that are known by their names: generated enums conform, with a case for each.
public protocol DocumentedWebhook: Sendable {
    /// Reads the webhook of a name.
    ///
    /// - Returns: `nil` when the document has no webhook of this name.
    /// - Throws: ``GatewayJSON/JSONError`` with the path of what the body lacks.
    init?(name: String, received: ReceivedWebhook) throws(JSONError)
}

/// Webhooks or callbacks whose bodies say which they are: generated enums conform, with a case for each. What the document
/// does not name is kept as `unrecognized`.
public protocol DiscriminatedWebhook: Sendable {
    /// Reads a webhook.
    ///
    /// - Throws: ``GatewayJSON/JSONError`` with the path of what the body lacks.
    init(received: ReceivedWebhook) throws(JSONError)
}

extension DocumentedWebhook {
    /// Reads the webhook that came at the URL, or with the header, by which you know its name.
    ///
    /// - Parameters:
    ///   - name: the webhook's name in the document.
    ///   - body: the body, byte for byte.
    ///   - fields: the header fields.
    ///   - verifier: checks the signature first. `nil`: you know by other means who sent it.
    /// - Throws: ``WebhookError``.
    public static func parse(
        named name: String, body: [UInt8], fields: HTTPFields, verifier: WebhookVerifier?
    ) throws(WebhookError) -> Self {
        let received = ReceivedWebhook(body: body, fields: fields)
        try verifier?.verify(body: body, fields: fields)
        do throws(JSONError) {
            if let webhook = try Self(name: name, received: received) { return webhook }
        } catch {
            throw .undecodable(error)
        }
        throw WebhookError(.unknownName, "The document has no webhook with this name.")
    }
}

extension DiscriminatedWebhook {
    /// Reads the webhook that a body is.
    ///
    /// - Parameters:
    ///   - body: the body, byte for byte.
    ///   - fields: the header fields.
    ///   - verifier: checks the signature first. `nil`: you know by other means who sent it.
    /// - Throws: ``WebhookError``.
    public static func parse(
        body: [UInt8], fields: HTTPFields, verifier: WebhookVerifier?
    ) throws(WebhookError) -> Self {
        let received = ReceivedWebhook(body: body, fields: fields)
        try verifier?.verify(body: body, fields: fields)
        do throws(JSONError) {
            return try Self(received: received)
        } catch {
            throw .undecodable(error)
        }
    }
}

extension ReceivedWebhook {
    /// The body, to find out by a property of it which webhook it is.
    @_spi(Generated) public func root() throws(JSONError) -> JSONElement { try JSONDocument(body).root }

    /// The body as JSON, for generated code.
    @_spi(Generated) public func payload<Payload: JSONDecodable>(
        _ type: Payload.Type
    ) throws(JSONError) -> Payload { try Payload(jsonBytes: body) }

    /// The body as text, in the charset of `Content-Type`.
    @_spi(Generated) public func text() throws(JSONError) -> String {
        do throws(TextError) {
            return try fields.text(of: body)
        } catch {
            throw JSONError(.encoding, error.message)
        }
    }
}
