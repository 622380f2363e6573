/// Requests that the service sends to its clients: the webhooks of the document, or the callbacks of one operation.
struct EventSet {
    /// The operation whose callbacks they are; nil for the document's webhooks.
    @Indirect var operation: Operation?
    /// By name.
    let events: [Event]

    /// The key of its type in the lock.
    var place: String { (operation?.pointer.appending("callbacks") ?? Self.home).text }

    /// The place that the inline types of all events belong to.
    static let home = JSONPointer(tokens: ["webhooks"])
}

/// A webhook or a callback.
struct Event {
    /// The place of its operation, from which its name is derived.
    let pointer: JSONPointer
    /// The place of its definition, after references are resolved.
    let source: JSONPointer
    /// The name in the document. Unique in its set.
    let name: String
    /// In upper case.
    let method: String
    /// The runtime expression of a callback's URL.
    let expression: String?
    let summary: String?
    let text: String?
    let isDeprecated: Bool
    /// The request body. Nil: no body.
    let content: MediaContent?
    /// The documented response statuses.
    let answers: [String]
    let position: SourcePosition
}
