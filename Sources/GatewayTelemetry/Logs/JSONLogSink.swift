import Dispatch
public import GatewayCore

/// Writes events as lines of JSON, and sends them to a collector by option.
///
/// ```swift
/// configuration.events = JSONLogSink(sampling: 0.01)
/// ```
/// ```json
/// {"time":"2026-01-01T00:00:00.120Z","level":"info","event":"succeeded","trace_id":"0af7651916cd43dd8448eb211c80319c",
/// "span_id":"b7ad6b7169203331","call_id":"00f067aa0ba902b7","operation":"listBooks","method":"GET",
/// "origin":"https://api.example.com","attempt":1,"status":200,"attempts":1,"duration_ms":42.1}
/// ```
/// Lines are written by a thread of their own: a call never waits for the log, however slow that is. While `capacity` events
/// wait, further ones are dropped, counted, and reported by a line `log_dropped`.
///
/// Of each kind of line (the same event with the same error and status) at most `linesPerSecond` are written in a second,
/// so that an outage does not fill the log. The rest is counted, and reported in the next second, or by ``flush()``, by a
/// line `lines_omitted` with the `kind`, the error or status, and the count. Lines of calls without a problem are bounded
/// by `sampling` instead.
///
/// With an `exporter`, the same lines are sent as log records of OpenTelemetry: the event is their name, the level their
/// severity, and the fields are their attributes.
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
        /// Whether lines that were left out are reported at the end of the second.
        var isReportDue = false
    }

    /// The events that lines are written of.
    public let interests: EventInterests
    /// The header fields that the field `request_id` is read from.
    public let requestIDFields: [HTTPField.Name]
    private let level: Level
    private let sampling: Double
    private let fields: Set<Field>
    private let capacity: Int
    private let clock: any GatewayClock
    private let exporter: OTLPExporter?
    private let output: (@Sendable ([UInt8]) -> Void)?
    private let shared = Locked(Shared())
    private let limit: Locked<LineLimit>
    private let start: ContinuousClock.Instant
    private let queue = DispatchQueue(label: "GatewayTelemetry.JSONLogSink")

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - level: the least important level that is written.
    ///   - sampling: the share of calls without a problem that are written, from 0 to 1. It is decided by the trace ID, so
    ///     that all services write the same traces. Warnings and errors are always written.
    ///   - fields: the fields that are written.
    ///   - capacity: how many events may wait, 1 or more.
    ///   - linesPerSecond: how many lines of one kind are written in a second, 1 or more; `nil` for no limit. Default: 100.
    ///   - requestIDFields: the header fields of responses that the field `request_id` is read from; the first one with a
    ///     usable value counts. Default: ``GatewayCore/HTTPField/Name/requestIDs``. None: no `request_id`.
    ///   - clock: the clock that the time of a line is read from.
    ///   - exporter: sends the lines if its configuration has a destination for logs; `nil` for nothing.
    ///   - write: writes one or more whole lines, in order; it may block. Standard error by default; `nil` for an exporter
    ///     alone.
    public init(
        level: Level = .info, sampling: Double = 1, fields: Set<Field> = Set(Field.allCases),
        capacity: Int = 8_192, linesPerSecond: Int? = 100,
        requestIDFields: [HTTPField.Name] = HTTPField.Name.requestIDs,
        clock: any GatewayClock = SystemClock(), exporter: OTLPExporter? = nil,
        write: (@Sendable ([UInt8]) -> Void)? = JSONLogSink.writeToStandardError
    ) {
        self.level = level
        self.sampling = sampling.isNaN ? 1 : min(1, max(0, sampling))
        self.fields = requestIDFields.isEmpty ? fields.subtracting([.requestID]) : fields
        self.capacity = max(1, capacity)
        self.clock = clock
        self.exporter = exporter?.logRecords == nil ? nil : exporter
        output = write
        limit = Locked(LineLimit(linesPerSecond: linesPerSecond))
        start = clock.now
        self.requestIDFields = fields.contains(.requestID) ? requestIDFields : []
        interests = level == .debug ? .all : [.calls, .tokens, .state]
    }

    /// How many events were dropped because too many waited.
    public var droppedCount: Int { shared.withLock { $0.dropped } }

    /// How many lines were left out because there were too many of their kind in a second.
    public var omittedCount: Int { limit.withLock { $0.omittedCount } }

    /// Returns when all lines of the events so far are written, and the collector has answered for those that are sent, or after
    /// the exporter's ``OTLPConfiguration/logExportTimeout``. Events that are recorded meanwhile are not waited for.
    public func flush() async {
        await writeAll()
        await send(until: nil)
    }

    /// Sends the records so far.
    ///
    /// - Returns: whether the collector has answered before the deadline.
    @discardableResult
    func send(until deadline: Deadline?) async -> Bool { await exporter?.flushLogs(until: deadline) ?? true }

    /// Returns when all lines of the events so far are written or passed to the exporter.
    ///
    /// - Parameter deadline: when an output that blocks is no longer waited for; `nil` for never.
    /// - Returns: whether the lines are written.
    @discardableResult
    func writeAll(until deadline: Deadline? = nil) async -> Bool {
        guard let deadline else {
            await withCheckedContinuation { continuation in writeAll { continuation.resume() } }
            return true
        }
        let written = SharedFlight<Void>(clock: clock)
        let waiter = written.join(until: deadline)
        writeAll { written.land(()) }
        if case .value = await written.outcome(of: waiter) { return true }
        return false
    }

    private func writeAll(_ then: @escaping @Sendable () -> Void) {
        queue.async {
            // What was recorded and is not taken yet, as its writer may be started a moment later.
            self.writeBatch(reportsOmissions: true)
            then()
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
    ///
    /// - Parameter reportsOmissions: whether lines that were left out in the current second are reported, too.
    private func writeBatch(reportsOmissions: Bool = false) {
        let (batch, dropped) = shared.withLock { shared in
            defer {
                shared.waiting = []
                shared.unreported = 0
            }
            return (shared.waiting, shared.unreported)
        }
        let second = start.duration(to: clock.now).components.seconds
        var lines: [UInt8] = []
        for omission in limit.withLock({ $0.begin(second) }) { put(LogEntry(omission), into: &lines) }
        for waiting in batch {
            let (entry, isSampled) = Self.entry(of: waiting.event)
            if !isSampled, !limit.withLock({ $0.admits(entry.kind, entry.level) }) { continue }
            put(entry, at: waiting.unixTime, into: &lines)
        }
        if dropped > 0 {
            put(LogEntry(.warning, "log_dropped", [(.count, .integer(dropped))]), into: &lines)
        }
        if reportsOmissions {
            for omission in limit.withLock({ $0.takeOmissions() }) { put(LogEntry(omission), into: &lines) }
        }
        if !lines.isEmpty { output?(lines) }
        if limit.withLock({ $0.hasOmissions }) { reportOmissions(after: second) }
    }

    /// Passes a line to the exporter, and adds it to those to write.
    ///
    /// - Parameter unixTime: when the event happened; `nil` for now.
    private func put(_ entry: LogEntry, at unixTime: Duration? = nil, into lines: inout [UInt8]) {
        let unixTime = unixTime ?? clock.unixTime
        exporter?.add(LogRecord(entry, at: unixTime, allowed: fields))
        guard let output else { return }
        lines += entry.line(at: unixTime, allowed: fields)
        // Written in parts, so that little of it waits for the last line.
        if lines.count >= 65_536 {
            output(lines)
            lines = []
        }
    }

    /// The line of an event, and whether `sampling` bounds lines of its kind.
    private static func entry(of event: ClientEvent) -> (LogEntry, isSampled: Bool) {
        switch event {
        case .call(let event):
            let entry = event.logEntry
            return (entry, entry.level > .warning)
        case .token(let event): return (event.logEntry, false)
        case .state(let event): return (event.logEntry, false)
        }
    }

    // MARK: Omissions

    /// Reports the lines that were left out in a second when that has ended.
    private func reportOmissions(after second: Int64) {
        let isDue = shared.withLock { shared in
            defer { shared.isReportDue = true }
            return shared.isReportDue
        }
        guard !isDue else { return }
        _ = clock.alarm(at: start.adding(.seconds(second.addingClamped(1)))) { [weak self] in
            guard let self else { return }
            shared.withLock { $0.isReportDue = false }
            queue.async { self.writeBatch() }
        }
    }
}
