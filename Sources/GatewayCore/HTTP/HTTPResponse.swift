/// A response with any status. Statuses are not errors here.
///
/// The value is one pointer wide: each layer keeps room for one while it waits for the layer below.
public struct HTTPResponse: Sendable {
    private struct Values: Sendable {
        var status: Int
        var fields: HTTPFields
        var body: ResponseBody
        var exchange: Exchange
    }

    private final class Box: Sendable {
        let values: Values
        init(_ values: Values) { self.values = values }
    }

    private var box: Box

    /// The status code, 100 to 999 (RFC 9110 §15).
    public var status: Int {
        get { box.values.status }
        set { change { $0.status = newValue } }
    }
    /// The header fields.
    public var fields: HTTPFields {
        get { box.values.fields }
        set { change { $0.fields = newValue } }
    }
    /// The content.
    public var body: ResponseBody {
        get { box.values.body }
        set { change { $0.body = newValue } }
    }
    /// How the response came about.
    public var exchange: Exchange {
        get { box.values.exchange }
        set { change { $0.exchange = newValue } }
    }

    /// Makes a response.
    public init(
        status: Int, fields: HTTPFields = HTTPFields(), body: ResponseBody = .empty, exchange: Exchange
    ) {
        box = Box(Values(status: status, fields: fields, body: body, exchange: exchange))
    }

    private mutating func change(_ body: (inout Values) -> Void) {
        var values = box.values
        body(&values)
        box = Box(values)
    }

    /// Whether the status is from 200 to 299.
    public var isSuccess: Bool { status >= 200 && status < 300 }
}

extension HTTPResponse: Redacted {
    /// Status and attempts: no header values or content, which may be secrets.
    public var description: String {
        "HTTP \(status) after \(exchange.attempts) attempt\(exchange.attempts == 1 ? "" : "s")"
    }
}
