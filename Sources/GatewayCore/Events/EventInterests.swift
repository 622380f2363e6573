/// The events that a sink receives. Events that no sink is interested in are not created and cost nothing.
public struct EventInterests: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Creates a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// All other events of calls: start and end, retries, redirects, replays.
    public static let calls = EventInterests(rawValue: 1)
    /// `attemptStarted` and `attemptEnded`.
    public static let attempts = EventInterests(rawValue: 2)
    /// `exchanged`: the timings of exchanges. They cost about ten libcurl calls each.
    public static let exchanges = EventInterests(rawValue: 4)
    /// No event: streamed responses have the timings until their header fields, which cost as much again.
    package static let headTimings = EventInterests(rawValue: 32)

    /// ``TokenEvent``: events of tokens. The IDs of calls that wait for a token are collected only for these events.
    public static let tokens = EventInterests(rawValue: 8)
    /// ``StateEvent``: events that do not belong to a call.
    public static let state = EventInterests(rawValue: 16)

    /// Every event.
    public static let all: EventInterests = [.calls, .attempts, .exchanges, .tokens, .state]
}
