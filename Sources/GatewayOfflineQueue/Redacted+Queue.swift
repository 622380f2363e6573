public import GatewayCore

extension QueueRequest: Redacted {
    /// The method and the URL without its query, without keys, fields and body.
    public var description: String { "stored request: \(request)" }
}

extension QueueSelection: Redacted {}

extension QueueTicket: Redacted {
    /// The entry.
    public var description: String { "ticket of entry \(id)" }
}

extension TypedTicket: Redacted {
    /// The entry.
    public var description: String { ticket.description }
}

extension OfflineQueueEngine: Redacted {}
extension OfflineQueueEngine.Configuration: Redacted {}
extension BackgroundQueueDrainer: Redacted {
    /// The type's name.
    nonisolated public var description: String { "BackgroundQueueDrainer" }
    /// The same as the description.
    nonisolated public var debugDescription: String { description }
    /// Without children.
    nonisolated public var customMirror: Mirror { Mirror(self, children: []) }
}
extension TimerDrainSchedule: Redacted {}
extension SQLiteQueueStore: Redacted {}
extension MemoryQueueStore: Redacted {}
extension QueueFileReader: Redacted {}
