/// A server-sent event (WHATWG HTML, section 9.2).
public struct ServerSentEvent: Hashable, Sendable {
    /// The event type. Default: `message`.
    public var type: String
    /// The data lines, joined with line feeds.
    public var data: String
    /// The last event ID, from this event or an earlier one; empty if no ID was received or the server reset it. IDs
    /// of more than 1,024 bytes or with control characters are ignored.
    public var id: String
    /// The reconnection time of this event, if it has one.
    public var retry: Duration?

    /// Creates an event, for tests.
    public init(type: String = "message", data: String, id: String = "", retry: Duration? = nil) {
        self.type = type
        self.data = data
        self.id = id
        self.retry = retry
    }
}
