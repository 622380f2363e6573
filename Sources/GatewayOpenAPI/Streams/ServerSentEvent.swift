/// One event of a stream of events (WHATWG HTML, section 9.2).
public struct ServerSentEvent: Hashable, Sendable {
    /// What kind of event it is; `message` where the server says nothing.
    public var type: String
    /// The lines of its data, joined by line ends.
    public var data: String
    /// The last id that the server gave, in this event or an earlier one; empty for none.
    public var id: String
    /// How long the server wants clients to wait before they come back, where it said so.
    public var retry: Duration?

    /// An event of your own, for tests.
    public init(type: String = "message", data: String, id: String = "", retry: Duration? = nil) {
        self.type = type
        self.data = data
        self.id = id
        self.retry = retry
    }
}
