public import GatewayCore
public import GatewayJSON

/// Webhooks or callbacks that are identified by name. Generated enums conform and have a case for each.
public protocol DocumentedWebhook: Sendable {
    /// Decodes the webhook with a name.
    ///
    /// - Returns: `nil` if the document has no webhook with this name.
    /// - Throws: ``GatewayJSON/JSONError`` with the path of the mismatch.
    init?(name: String, received: ReceivedWebhook) throws(JSONError)
}

/// Webhooks or callbacks that are identified by their body. Generated enums conform and have a case for each. A webhook
/// that the document does not define is kept as `unrecognized`.
public protocol DiscriminatedWebhook: Sendable {
    /// Decodes a webhook.
    ///
    /// - Throws: ``GatewayJSON/JSONError`` with the path of the mismatch.
    init(received: ReceivedWebhook) throws(JSONError)
}

extension DocumentedWebhook {
    /// Verifies and decodes a webhook whose name is known from its URL or a header field.
    ///
    /// - Parameters:
    ///   - name: the webhook's name in the document.
    ///   - body: the exact bytes of the body.
    ///   - fields: the header fields.
    ///   - verifier: verifies the signature first. `nil` skips the check, if the sender was authenticated in another
    ///     way.
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
    /// Verifies and decodes a webhook.
    ///
    /// - Parameters:
    ///   - body: the exact bytes of the body.
    ///   - fields: the header fields.
    ///   - verifier: verifies the signature first. `nil` skips the check, if the sender was authenticated in another
    ///     way.
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
    /// The body as JSON, to read the property that identifies the webhook.
    @_spi(Generated) public func root() throws(JSONError) -> JSONElement { try JSONDocument(body).root }

    /// Decodes the body as JSON, for generated code.
    @_spi(Generated) public func payload<Payload: JSONDecodable>(
        _ type: Payload.Type
    ) throws(JSONError) -> Payload { try Payload(jsonBytes: body) }

    /// Decodes the body as text, in the charset of `Content-Type`.
    @_spi(Generated) public func text() throws(JSONError) -> String {
        do throws(TextError) {
            return try fields.text(of: body)
        } catch {
            throw JSONError(.encoding, error.message)
        }
    }
}
