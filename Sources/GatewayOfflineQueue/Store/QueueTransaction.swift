import GatewayCore

/// The values that a transaction has read, or writes once at its end.
final class QueueTransaction {
    /// The metadata of the file; `nil` before the first use.
    var meta: QueueMeta?
    /// Whether ``meta`` has to be written.
    var isChanged = false
    /// The start of the head that was read last.
    var lastStart: QueueItemStart?
}
