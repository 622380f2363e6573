import GatewayCore

/// What a transaction has read and is to write once.
final class QueueTransaction {
    /// What the file knows about itself; `nil` before it is first asked for.
    var meta: QueueMeta?
    /// Whether ``meta`` has to be written.
    var isChanged = false
    private var last: (text: String, origin: Origin)?

    /// Reads an origin. Entries that follow each other mostly have the same one.
    func origin(_ text: String) -> Origin? {
        if let last, last.text == text { return last.origin }
        guard let origin = try? Origin(text) else { return nil }
        last = (text, origin)
        return origin
    }
}
