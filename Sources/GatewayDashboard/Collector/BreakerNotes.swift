import GatewayCore
import GatewayTelemetry

/// When circuit breakers changed, and how often they opened, by name. Bounded in number.
struct BreakerNotes: Sendable {
    private static let limit = 200

    struct Note: Sendable {
        /// When the state last changed.
        var since: UInt64
        /// When it will be half open; `nil` if it is not open.
        var openUntil: UInt64?
        var opened = 0
    }

    private(set) var notes: [String: Note] = [:]

    mutating func add(_ event: borrowing StateEvent, at time: UInt64) {
        switch event.kind {
        case .circuitOpened(let name, let duration):
            change(name, at: time) { note in
                note.openUntil = time.addingClamped(duration.metricNanoseconds)
                note.opened += 1
            }
        case .circuitIsolated(let name): change(name, at: time) { $0.opened += 1 }
        case .circuitHalfOpened(let name), .circuitClosed(let name): change(name, at: time) { _ in }
        default: break
        }
    }

    private mutating func change(_ name: String, at time: UInt64, _ change: (inout Note) -> Void) {
        guard notes[name] != nil || notes.count < Self.limit else { return }
        var note = notes[name] ?? Note(since: time)
        note.since = time
        note.openUntil = nil
        change(&note)
        notes[name] = note
    }
}
