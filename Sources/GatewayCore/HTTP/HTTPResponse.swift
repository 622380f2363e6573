/// A response with any status. Statuses are not errors here.
public struct HTTPResponse: Sendable {
    /// The status code, 100 to 999 (RFC 9110 §15).
    public var status: Int
    /// The header fields.
    public var fields: HTTPFields
    /// The content.
    public var body: ResponseBody
    /// How the response came about.
    public var exchange: Exchange

    /// Makes a response.
    public init(
        status: Int, fields: HTTPFields = HTTPFields(), body: ResponseBody = .empty, exchange: Exchange
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.exchange = exchange
    }

    /// Whether the status is from 200 to 299.
    public var isSuccess: Bool { status >= 200 && status < 300 }
}

extension HTTPResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Status and attempts: no header values or content, which may be secrets.
    public var description: String { "HTTP \(status) after \(exchange.attempts) attempt(s)" }
    /// The same as the description.
    public var debugDescription: String { description }
    /// Shows no more than the description does.
    public var customMirror: Mirror { Mirror(self, children: ["response": description]) }
}
