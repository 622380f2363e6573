/// Requests that the service makes of its clients, read together: the document's webhooks, or the callbacks of one
/// operation.
struct EventSet {
    /// The operation whose callbacks they are; nil for the document's webhooks.
    let operation: Operation?
    /// By name.
    let events: [Event]

    /// What locks the name of its type.
    var place: String { (operation?.pointer.appending("callbacks") ?? Self.home).text }

    /// The place of the webhooks, where all events' inline types are at home.
    static let home = JSONPointer(tokens: ["webhooks"])
}

/// One such request.
struct Event {
    /// The place of its operation, where its name comes from.
    let pointer: JSONPointer
    /// Where it is written: elsewhere if its path item or callback is a reference.
    let source: JSONPointer
    /// What the document calls it. No two events of a set have one name.
    let name: String
    /// In upper case.
    let method: String
    /// The runtime expression of a callback's URL.
    let expression: String?
    let summary: String?
    let text: String?
    let isDeprecated: Bool
    /// The body that is read; nil for none.
    let content: MediaContent?
    /// The statuses that answer it, as the document writes them.
    let answers: [String]
    let position: SourcePosition
}
