internal import GatewayAuth
public import GatewayCore
import GatewayDigest

/// Verifies that a webhook was sent recently by a sender that has the secret, and was not changed (Standard Webhooks
/// 1.0.0).
///
/// ```swift
/// let verifier = try WebhookVerifier(secrets: [Secret(current), Secret(previous)])
/// switch try Bookshop.Webhooks.parse(body: bytes, fields: fields, verifier: verifier) {
/// case .orderShipped(let order): ship(order)
/// case .unrecognized(let json): log(json)
/// }
/// ```
/// The signature covers ID, timestamp and body: HMAC-SHA256 with a shared secret (`v1`). Signatures of other versions
/// are ignored. The verifier does not detect duplicates within the tolerance; use the ID for that.
public struct WebhookVerifier: Sendable {
    private let keys: [WebhookKey]
    /// The maximum difference between the timestamp and the current time, in both directions.
    public let tolerance: Duration
    private let prefix: String
    private let clock: any GatewayClock

    /// Creates a verifier with one or more secrets. Use two while a secret is being replaced.
    ///
    /// - Parameters:
    ///   - secrets: Base64 of 24 to 64 bytes, with or without the prefix `whsec_`.
    ///   - tolerance: the maximum difference between the timestamp and the current time, in both directions. Default:
    ///     300 s. It must allow for clock differences. To detect duplicates, IDs must be remembered for twice this
    ///     time.
    ///   - fieldPrefix: the prefix of the three header fields. Default: `webhook`. Some senders use their own.
    ///   - clock: the source of the current time.
    /// - Throws: ``WebhookError`` with code `secretUnusable`, also if there is no secret.
    public init(
        secrets: [Secret], tolerance: Duration = .seconds(300), fieldPrefix: String = "webhook",
        clock: any GatewayClock = SystemClock()
    ) throws(WebhookError) {
        guard !secrets.isEmpty else { throw WebhookError(.secretUnusable, "No secret is configured.") }
        var keys: [WebhookKey] = []
        for secret in secrets { keys.append(try WebhookKey(secret)) }
        self.keys = keys
        self.tolerance = tolerance.bounded
        prefix = fieldPrefix
        self.clock = clock
    }

    /// Creates a verifier with one secret.
    public init(
        secret: Secret, tolerance: Duration = .seconds(300), clock: any GatewayClock = SystemClock()
    ) throws(WebhookError) {
        try self.init(secrets: [secret], tolerance: tolerance, clock: clock)
    }

    /// Verifies the signature and the timestamp.
    ///
    /// - Parameters:
    ///   - body: the exact bytes of the body.
    ///   - fields: the header fields; `-id`, `-timestamp` and `-signature` after the prefix are read.
    /// - Returns: the ID, which is the same for all attempts of the sender.
    /// - Throws: ``WebhookError``.
    @discardableResult public func verify(
        body: [UInt8], fields: HTTPFields
    ) throws(WebhookError) -> String {
        let id = try single("id", fields)
        // The signed text joins ID, timestamp and body with dots. A dot in the ID would make it ambiguous.
        guard !id.isEmpty, id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ".") }) else {
            throw malformed("id")
        }
        let text = try single("timestamp", fields)
        guard (1...15).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }),
            let seconds = Int64(text)
        else { throw malformed("timestamp") }
        let signatures = try signatures(fields)
        let signed = Self.signed(id: id, timestamp: text, body: body)
        var isGenuine = false
        // All signatures are compared, so that the duration gives no information.
        for key in keys {
            guard let code = key.code(of: signed) else { continue }
            for signature in signatures where HMACSHA256.areEqual(code, signature) { isGenuine = true }
        }
        guard isGenuine else {
            throw WebhookError(
                .signatureMismatch, "No signature matches a configured secret.", field: prefix + "-signature"
            )
        }
        // The timestamp is meaningful only if the signature is valid.
        let age = clock.unixTime.bounded - .seconds(seconds)
        guard age <= tolerance else {
            throw WebhookError(
                .tooOld, "The timestamp is older than the tolerance allows.", field: prefix + "-timestamp")
        }
        guard age >= .zero - tolerance else {
            throw WebhookError(
                .tooNew, "The timestamp is in the future: check this machine's clock.",
                field: prefix + "-timestamp")
        }
        return id
    }

    /// Creates the header fields of a webhook to send, or for a test. It is signed with each of the secrets.
    ///
    /// - Parameters:
    ///   - body: the exact bytes of the body.
    ///   - id: the unique ID of the event: printable ASCII without dots and spaces.
    public func fields(signing body: [UInt8], id: String) throws(WebhookError) -> HTTPFields {
        let timestamp = String(clock.unixTime.wholeSeconds)
        let signed = Self.signed(id: id, timestamp: timestamp, body: body)
        var parts: [String] = []
        for key in keys {
            guard let code = key.code(of: signed) else {
                throw WebhookError(.secretUnusable, "The secret cannot be used as an HMAC key.")
            }
            parts.append("v1," + Base64.encode(code))
        }
        return [
            name("id"): id, name("timestamp"): timestamp, name("signature"): parts.joined(separator: " "),
        ]
    }

    private static func signed(id: String, timestamp: String, body: [UInt8]) -> [UInt8] {
        Array((id + "." + timestamp + ".").utf8) + body
    }

    private func name(_ part: String) -> HTTPField.Name { HTTPField.Name(prefix + "-" + part) }

    private func malformed(_ part: String) -> WebhookError {
        WebhookError(
            .headerMalformed, "The header \(prefix)-\(part) is malformed.", field: prefix + "-" + part)
    }

    private func single(_ part: String, _ fields: HTTPFields) throws(WebhookError) -> String {
        let values = fields.values(for: name(part))
        guard let value = values.first else {
            throw WebhookError(
                .headerMissing, "The header \(prefix)-\(part) is missing.", field: prefix + "-" + part)
        }
        guard values.count == 1 else { throw malformed(part) }
        return value
    }

    /// The signatures of version 1. At most 32 signatures are read, to limit the number of comparisons.
    private func signatures(_ fields: HTTPFields) throws(WebhookError) -> [[UInt8]] {
        let list = try single("signature", fields)
        var result: [[UInt8]] = []
        for part in list.split(separator: " ").prefix(32) where part.hasPrefix("v1,") {
            if let code = Base64.decode(part.utf8.dropFirst(3)), code.count == 32 { result.append(code) }
        }
        return result
    }
}

/// The bytes of a signing secret. They are never printed.
private struct WebhookKey: Sendable {
    private let bytes: [UInt8]

    init(_ secret: Secret) throws(WebhookError) {
        let text = secret.exposed
        let encoded = text.hasPrefix("whsec_") ? text.utf8.dropFirst("whsec_".utf8.count) : text.utf8[...]
        guard let bytes = Base64.decode(encoded) else {
            throw WebhookError(.secretUnusable, "A secret is not valid base64.")
        }
        guard (24...64).contains(bytes.count) else {
            throw WebhookError(.secretUnusable, "A secret must have 24 to 64 bytes.")
        }
        self.bytes = bytes
    }

    func code(of signed: [UInt8]) -> [UInt8]? { HMACSHA256.code(of: signed, key: bytes) }
}
