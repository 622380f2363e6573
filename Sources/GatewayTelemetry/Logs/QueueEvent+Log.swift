import GatewayCore

extension QueueEvent {
    /// The level of the event's line.
    var logLevel: JSONLogSink.Level {
        switch self {
        case .refused, .attempted(_, _, .poison, _, _), .attempted(_, _, .parked, _, _),
            .attempted(_, _, .lost, _, _), .held(.some), .storeFailed, .recovered:
            .warning
        case .moved(_, let state): Self.warnedStates.contains(state) ? .warning : .info
        case .stored, .attempted, .reclaimed, .depth, .held(nil): .info
        }
    }

    /// The states in which entries wait for somebody, or for a lack of this machine to pass.
    private static let warnedStates: Set<String> = ["parked", "ambiguous", "poison", "postponed"]

    /// What the event's line says.
    var logFields: [(JSONLogSink.Field, LogEntry.Value?)] {
        switch self {
        case .stored(let entry): [(.entry, .integer(Int(clamping: entry)))]
        case .attempted(let entry, let attempt, let result, let reason, let age):
            [
                (.entry, .integer(Int(clamping: entry))), (.attempt, .integer(attempt)),
                (.result, .text(result.rawValue)), (.reason, reason.map { .text($0) }),
                (.duration, age.logMilliseconds),
            ]
        case .moved(let count, let state): [(.count, .integer(count)), (.result, .text(state))]
        case .reclaimed(let count), .recovered(let count): [(.count, .integer(count))]
        case .depth(let queued, _): [(.count, .integer(queued))]
        case .held(let reason): [(.reason, reason.map { .text($0) })]
        case .storeFailed(let code): [(.error, .text(code))]
        case .refused: []
        }
    }
}
