import Dispatch
public import GatewayCore

/// Writes events as lines of JSON.
///
/// ```swift
/// configuration.events = JSONLogSink(sampling: 0.01)
/// ```
/// ```json
/// {"time":"2026-01-01T00:00:00.120Z","level":"info","event":"succeeded","trace_id":"0af7651916cd43dd8448eb211c80319c",
/// "call_id":"00f067aa0ba902b7","operation":"listBooks","method":"GET","origin":"https://api.example.com","attempt":1,
/// "status":200,"attempts":1,"duration_ms":42.1}
/// ```
/// Lines are written by a thread of their own: a call never waits for the log, however slow that is. While `capacity` events
/// wait, further ones are dropped, counted, and reported by a line `log_dropped`.
public final class JSONLogSink: RequestEventSink {
    /// How important a line is.
    public enum Level: String, CaseIterable, Comparable, Sendable {
        /// A call or a refresh failed for good.
        case error
        /// Something failed and is handled, such as an attempt that is retried; or a response with an error status.
        case warning
        /// A call ended; a token changed.
        case info
        /// Everything.
        case debug

        var name: String { rawValue }

        private var rank: Int {
            switch self {
            case .error: 0
            case .warning: 1
            case .info: 2
            case .debug: 3
            }
        }

        /// Whether the first is more important.
        public static func < (a: Level, b: Level) -> Bool { a.rank < b.rank }
    }

    private struct Waiting: Sendable {
        let event: ClientEvent
        let unixTime: Duration
    }

    private struct Shared {
        var waiting: [Waiting] = []
        var isWriting = false
        var dropped = 0
        /// The dropped ones that no line has reported yet.
        var unreported = 0
    }

    /// The events that lines are written of.
    public let interests: EventInterests
    private let level: Level
    private let sampling: Double
    private let fields: Set<Field>
    private let capacity: Int
    private let clock: any GatewayClock
    private let write: @Sendable ([UInt8]) -> Void
    private let shared = Locked(Shared())
    private let queue = DispatchQueue(label: "GatewayTelemetry.JSONLogSink")

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - level: the least important level that is written.
    ///   - sampling: the share of calls without a problem that are written, from 0 to 1. It is decided by the trace ID, so
    ///     that all services write the same traces. Warnings and errors are always written.
    ///   - fields: the fields that are written.
    ///   - capacity: how many events may wait, 1 or more.
    ///   - clock: the clock that the time of a line is read from.
    ///   - write: writes one or more whole lines, in order; it may block. Standard error by default.
    public init(
        level: Level = .info, sampling: Double = 1, fields: Set<Field> = Set(Field.allCases),
        capacity: Int = 8_192, clock: any GatewayClock = SystemClock(),
        write: @escaping @Sendable ([UInt8]) -> Void = JSONLogSink.writeToStandardError
    ) {
        self.level = level
        self.sampling = sampling.isNaN ? 1 : min(1, max(0, sampling))
        self.fields = fields
        self.capacity = max(1, capacity)
        self.clock = clock
        self.write = write
        interests = level == .debug ? .all : [.calls, .tokens, .state]
    }

    /// How many events were dropped because too many waited.
    public var droppedCount: Int { shared.withLock { $0.dropped } }

    /// Returns when all lines of the events so far are written; events that are recorded meanwhile are not waited for.
    public func flush() async {
        await withCheckedContinuation { continuation in
            queue.async {
                // What was recorded and is not taken yet, as its writer may be started a moment later.
                self.writeBatch()
                continuation.resume()
            }
        }
    }

    // MARK: Events

    /// Writes the line of an event later; never waits.
    public func record(_ event: borrowing RequestEvent) {
        let eventLevel = event.logLevel
        guard eventLevel <= level else { return }
        if eventLevel > .warning, !event.isSampled(sampling) { return }
        enqueue(.call(copy event))
    }

    /// Writes the line of an event later; never waits.
    public func record(_ event: borrowing TokenEvent) {
        if event.logLevel <= level { enqueue(.token(copy event)) }
    }

    /// Writes the line of an event later; never waits.
    public func record(_ event: borrowing StateEvent) {
        if event.logLevel <= level { enqueue(.state(copy event)) }
    }

    private func enqueue(_ event: ClientEvent) {
        let waiting = Waiting(event: event, unixTime: clock.unixTime)
        let begins = shared.withLock { shared in
            guard shared.waiting.count < capacity else {
                shared.dropped = shared.dropped.addingClamped(1)
                shared.unreported = shared.unreported.addingClamped(1)
                return false
            }
            shared.waiting.append(waiting)
            defer { shared.isWriting = true }
            return !shared.isWriting
        }
        if begins { queue.async { self.writeWaiting() } }
    }

    /// Writes what waits, and makes room for a flush before it goes on with what came meanwhile.
    private func writeWaiting() {
        writeBatch()
        let goesOn = shared.withLock { shared in
            shared.isWriting = !shared.waiting.isEmpty || shared.unreported > 0
            return shared.isWriting
        }
        if goesOn { queue.async { self.writeWaiting() } }
    }

    /// Writes what waits at this moment. On the queue.
    private func writeBatch() {
        let (batch, dropped) = shared.withLock { shared in
            defer {
                shared.waiting = []
                shared.unreported = 0
            }
            return (shared.waiting, shared.unreported)
        }
        var lines: [UInt8] = []
        for waiting in batch {
            let entry =
                switch waiting.event {
                case .call(let event): event.logEntry
                case .token(let event): event.logEntry
                case .state(let event): event.logEntry
                }
            lines += entry.line(at: waiting.unixTime, allowed: fields)
            // Written in parts, so that little of it waits for the last line.
            if lines.count >= 65_536 {
                write(lines)
                lines = []
            }
        }
        if dropped > 0 {
            lines += LogEntry(.warning, "log_dropped", [(.count, .integer(dropped))])
                .line(at: clock.unixTime, allowed: fields)
        }
        if !lines.isEmpty { write(lines) }
    }
}
