public import GatewayCore

/// A stored response without its body, with the data that decides whether it may be used.
public struct CachedHead: Sendable, Identifiable {
    /// The identifier of a stored response. It is random, and unique in a store.
    public struct ID: Hashable, Sendable {
        /// The number.
        public let rawValue: UInt64

        /// Makes an identifier.
        public init(_ rawValue: UInt64) { self.rawValue = rawValue }
    }

    /// On the heap, because heads are passed through the layers for each request.
    private final class Parts: Sendable {
        let id: ID
        let status: Int
        let fields: HTTPFields
        let requested: Duration
        let received: Duration
        let selecting: HTTPFields
        let bodyBytes: Int
        let isDecoded: Bool
        let facts: ResponseFacts

        init(
            id: ID, status: Int, fields: HTTPFields, requested: Duration, received: Duration,
            selecting: HTTPFields, bodyBytes: Int, isDecoded: Bool
        ) {
            self.id = id
            self.status = status
            self.fields = fields
            self.requested = requested
            self.received = received
            self.selecting = selecting
            self.bodyBytes = bodyBytes
            self.isDecoded = isDecoded
            facts = ResponseFacts(status: status, fields: fields, received: received)
        }
    }

    private let parts: Parts

    /// The identifier.
    public var id: ID { parts.id }
    /// The status code.
    public var status: Int { parts.status }
    /// The header fields of the response, without those that must not be stored (RFC 9111 §3.1).
    public var fields: HTTPFields { parts.fields }
    /// When the request was sent, as the time since 1970-01-01T00:00:00Z, in whole milliseconds.
    public var requested: Duration { parts.requested }
    /// When the head of the response arrived, in the same form. A validation updates both times.
    public var received: Duration { parts.received }
    /// The normalized values of the request fields that `Vary` names; digests for fields other than `Accept`
    /// and similar ones. Absent fields are omitted, and so are fields that the engine or the transport sets:
    /// the partition matches them.
    public var selecting: HTTPFields { parts.selecting }
    /// The size of the body, in bytes.
    public var bodyBytes: Int { parts.bodyBytes }
    /// Whether the transport may have removed a content coding from the body. Ranges of such a body differ
    /// from ranges of the representation that the entity tag identifies.
    public var isDecoded: Bool { parts.isDecoded }
    /// The parsed fields.
    var facts: ResponseFacts { _read { yield parts.facts } }

    /// Makes a head.
    public init(
        id: ID, status: Int, fields: HTTPFields, requested: Duration, received: Duration,
        selecting: HTTPFields, bodyBytes: Int, isDecoded: Bool
    ) {
        parts = Parts(
            id: id, status: status, fields: fields, requested: requested, received: received,
            selecting: selecting, bodyBytes: bodyBytes, isDecoded: isDecoded)
    }
}

extension CachedHead: Hashable {
    /// Whether all parts are equal.
    public static func == (a: Self, b: Self) -> Bool {
        a.id == b.id && a.status == b.status && a.fields == b.fields && a.requested == b.requested
            && a.received == b.received && a.selecting == b.selecting && a.bodyBytes == b.bodyBytes
            && a.isDecoded == b.isDecoded
    }

    /// Hashes the identifier.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension CachedHead: Redacted {
    /// The status and the size of the body; no header values.
    public var description: String { "stored response with status \(status) and \(bodyBytes) bytes" }
}
