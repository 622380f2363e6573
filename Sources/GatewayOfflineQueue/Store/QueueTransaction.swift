import GatewayCore

/// What a transaction has read and is to write once.
final class QueueTransaction {
    /// What the file knows about itself; `nil` before it is first asked for.
    var meta: QueueMeta?
    /// Whether ``meta`` has to be written.
    var isChanged = false
    /// The beginning of the head that was read last.
    var lastStart: QueueItemStart?
}
