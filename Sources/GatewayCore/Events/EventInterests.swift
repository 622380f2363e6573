/// The events that a sink wants to receive. An event that no sink wants is not made, and costs nothing.
public struct EventInterests: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Makes a set of its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Everything about calls that the other interests do not name: their beginning and end, retries, redirects, replays.
    public static let calls = EventInterests(rawValue: 1)
    /// `attemptStarted` and `attemptEnded`.
    public static let attempts = EventInterests(rawValue: 2)
    /// `exchanged`: the timings of exchanges on the wire, which take about ten calls of libcurl each.
    public static let exchanges = EventInterests(rawValue: 4)

    /// ``TokenEvent``: what happens to tokens. The IDs of the calls that wait for a token are collected for it.
    public static let tokens = EventInterests(rawValue: 8)
    /// ``StateEvent``: what belongs to no call.
    public static let state = EventInterests(rawValue: 16)

    /// Every event.
    public static let all: EventInterests = [.calls, .attempts, .exchanges, .tokens, .state]
}
