internal import GatewayAuth
public import GatewayCore
import GatewayDigest

/// Checks that a webhook was sent by who has the secret, just now, and as it is (Standard Webhooks 1.0.0).
///
/// ```swift
/// let verifier = try WebhookVerifier(secrets: [Secret(current), Secret(previous)])
/// switch try Bookshop.Webhooks.parse(body: bytes, fields: fields, verifier: verifier) {
/// case .orderShipped(let order): ship(order)
/// case .unrecognized(let json): log(json)
/// }
/// ```
/// The signature covers id, time and body: HMAC with SHA-256 under a secret that both sides know (`v1`). Signatures of
/// other kinds are passed over. A webhook that was sent twice within the window is for you to notice, by its id.
public struct WebhookVerifier: Sendable {
    private let keys: [WebhookKey]
    /// How far the time of sending may be from now, in both directions.
    public let tolerance: Duration
    private let prefix: String
    private let clock: any GatewayClock

    /// Checks by one or more secrets: while one is replaced by another both are taken.
    ///
    /// - Parameters:
    ///   - secrets: as the sender shows them: base64 of 24 to 64 bytes, with or without `whsec_` before it.
    ///   - tolerance: how far the time of sending may be from now, in both directions: long enough for clocks that
    ///     differ, short enough that ids need not be remembered for long.
    ///   - fieldPrefix: what the three header fields begin with; some senders use a name of their own.
    ///   - clock: tells the time.
    /// - Throws: ``WebhookError`` with code `secretUnusable`, also when there is no secret.
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

    /// Checks by one secret.
    public init(
        secret: Secret, tolerance: Duration = .seconds(300), clock: any GatewayClock = SystemClock()
    ) throws(WebhookError) {
        try self.init(secrets: [secret], tolerance: tolerance, clock: clock)
    }

    /// Returns when the webhook is genuine and fresh.
    ///
    /// - Parameters:
    ///   - body: the body, byte for byte.
    ///   - fields: the header fields; `-id`, `-timestamp` and `-signature` are read.
    /// - Returns: the id, the same for every time that the sender tries.
    /// - Throws: ``WebhookError``.
    @discardableResult public func verify(
        body: [UInt8], fields: HTTPFields
    ) throws(WebhookError) -> String {
        let id = try single("id", fields)
        // With a dot in it, id and time could be read otherwise than they were signed.
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
        // All are compared, so that nothing is learnt from how long it takes.
        for key in keys {
            guard let code = key.code(of: signed) else { continue }
            for signature in signatures where HMACSHA256.areEqual(code, signature) { isGenuine = true }
        }
        guard isGenuine else {
            throw WebhookError(
                .signatureMismatch, "No signature matches a configured secret.", field: prefix + "-signature"
            )
        }
        // Only of what is genuine the time means anything.
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

    /// The header fields of a webhook that you send yourself, or make up in a test; signed by each of the secrets.
    ///
    /// - Parameters:
    ///   - body: the body, byte for byte.
    ///   - id: what tells this event from all others: printable ASCII without a dot or a space.
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

    /// The signatures of version 1. No more than 32 are looked at: each costs a comparison.
    private func signatures(_ fields: HTTPFields) throws(WebhookError) -> [[UInt8]] {
        let list = try single("signature", fields)
        var result: [[UInt8]] = []
        for part in list.split(separator: " ").prefix(32) where part.hasPrefix("v1,") {
            if let code = Base64.decode(part.utf8.dropFirst(3)), code.count == 32 { result.append(code) }
        }
        return result
    }
}

/// A signing secret's bytes, which nothing prints.
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
