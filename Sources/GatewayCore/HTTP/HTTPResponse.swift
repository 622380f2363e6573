/// A response with any status. A status is not an error.
///
/// The value is one pointer, because every layer has space for one while it waits for the layer below.
public struct HTTPResponse: Sendable {
    @usableFromInline
    struct Values: Sendable {
        @usableFromInline var status: Int
        @usableFromInline var fields: HTTPFields
        @usableFromInline var body: ResponseBody
        @usableFromInline var exchange: Exchange
        @usableFromInline var ending: CallEnding?
    }

    @usableFromInline var values: CopyOnWrite<Values>

    /// The status code, 100…999 (RFC 9110 §15).
    public var status: Int {
        @inlinable get { values.value.status }
        _modify { yield &values.value.status }
    }
    /// The header fields.
    public var fields: HTTPFields {
        @inlinable get { values.value.fields }
        _modify { yield &values.value.fields }
    }
    /// The response body.
    public var body: ResponseBody {
        @inlinable get { values.value.body }
        _modify { yield &values.value.body }
    }
    /// How the response was obtained.
    public var exchange: Exchange {
        @inlinable get { values.value.exchange }
        _modify { yield &values.value.exchange }
    }

    /// Records the end of the call, if its caller does (``RequestContext/isEndedByCaller``).
    package var ending: CallEnding? {
        get { values.value.ending }
        set { values.value.ending = newValue }
    }

    /// Creates a response.
    public init(
        status: Int, fields: HTTPFields = HTTPFields(), body: ResponseBody = .empty, exchange: Exchange
    ) {
        values = CopyOnWrite(Values(status: status, fields: fields, body: body, exchange: exchange))
    }

    /// Whether the body is a stream.
    package var isStreamed: Bool { values.value.body.isStream }

    /// The generation of the credential that the request was sent with.
    @inlinable
    package var generation: UInt64? { values.value.exchange.stamp?.generation }

    /// Sets the credential stamp, without the allocation of an accessor in another module.
    package mutating func set(_ stamp: CredentialStamp?) { values.value.exchange.stamp = stamp }

    /// Whether the status is 200…299.
    public var isSuccess: Bool { status >= 200 && status < 300 }
}

extension HTTPResponse: Redacted {
    /// Status and number of attempts. Header values and content are omitted, because they may be secret.
    public var description: String {
        "HTTP \(status) after \(exchange.attempts) attempt\(exchange.attempts == 1 ? "" : "s")"
    }
}
