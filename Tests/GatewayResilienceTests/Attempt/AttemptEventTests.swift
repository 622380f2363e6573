import GatewayCore
import GatewayResilience
import GatewayTesting
import Testing

@Suite struct AttemptEventTests {
    private func engine(_ transport: ScriptedTransport) -> AsyncRequestEngine {
        var configuration = AsyncRequestEngine.Configuration()
        configuration.retry.policy = .immediate(attempts: 3)
        return AsyncRequestEngine(transport: transport, configuration: configuration)
    }

    private func context(_ sink: any RequestEventSink) -> RequestContext {
        var context = RequestContext(operation: "listBooks")
        context.events = sink
        return context
    }

    /// One line for each event.
    private func lines(_ recorder: EventRecorder) -> [String] {
        recorder.events.map { event in
            let name =
                switch event.kind {
                case .started: "started"
                case .attemptStarted: "attempt started"
                case .attemptEnded(let end):
                    switch end.outcome {
                    case .response(let status): "attempt ended \(status)"
                    case .error(let code, _): "attempt ended \(code.name)"
                    }
                case .retryScheduled: "retry"
                case .redirected: "redirected"
                case .succeeded(let status, let attempts, _): "succeeded \(status) after \(attempts)"
                case .failed(let cause, let attempts, _): "failed \(cause.code.name) after \(attempts)"
                case .cancelled(let attempts, _): "cancelled after \(attempts)"
                default: "other"
                }
            return "\(event.attempt.number) \(event.attempt.reason.rawValue): \(name)"
        }
    }

    /// Attempts are numbered over redirects and retries.
    @Test func attemptsAreNumbered() async throws {
        let recorder = EventRecorder()
        let transport = ScriptedTransport(
            .status(503), .status(302, fields: ["Location": "/b"]),
            .failure(NetworkError(.connectionRefused, "refused")), .status(200))
        _ = try await engine(transport).send(
            try HTTPRequest(.get, "http://127.0.0.1/a"), context: context(recorder))
        #expect(
            lines(recorder) == [
                "1 first: started", "1 first: attempt started", "1 first: attempt ended 503",
                "1 first: retry",
                "2 retry: attempt started", "2 retry: attempt ended 302", "1 first: redirected",
                "3 redirect: attempt started", "3 redirect: attempt ended connection_refused",
                "3 redirect: retry", "4 retry: attempt started", "4 retry: attempt ended 200",
                "1 first: succeeded 200 after 4",
            ])
        #expect(Set(recorder.events.map(\.callID)).count == 1)
        #expect(Set(recorder.events.map(\.operation)) == ["listBooks"])
    }

    /// An attempt that sent nothing has a number, too.
    @Test func numbersDoNotRepeat() async throws {
        let recorder = EventRecorder()
        let transport = ScriptedTransport(
            .failure(NetworkError(.connectionLost, "lost", phase: .queue)),
            .status(302, fields: ["Location": "/b"]), .status(200))
        _ = try await engine(transport).send(
            try HTTPRequest(.get, "http://127.0.0.1/a"), context: context(recorder))
        let begun = recorder.events.filter { if case .attemptStarted = $0.kind { true } else { false } }
        #expect(begun.map(\.attempt.number) == [1, 2, 3])
        #expect(begun.map(\.attempt.reason) == [.first, .retry, .redirect])
    }

    @Test func aCancelledCallHasNotFailed() async throws {
        let (recorder, gate) = (EventRecorder(), Gate())
        let transport = ScriptedTransport { _, _ in
            await gate.pass()
            return .status(200)
        }
        let (engine, context) = (engine(transport), context(recorder))
        let call = Task {
            try await engine.send(try HTTPRequest(.get, "http://127.0.0.1/a"), context: context)
        }
        await gate.waitForArrivals(1)
        call.cancel()
        gate.open()
        _ = await #expect(throws: NetworkError.self) { try await call.value }
        #expect(lines(recorder).last == "1 first: cancelled after 1")
    }

    @Test(arguments: [EventInterests.calls, .attempts, [.calls, .attempts], []])
    func aSinkGetsWhatItWants(interests: EventInterests) async throws {
        let sink = ChoosySink(interests: interests)
        _ = try await engine(ScriptedTransport(.status(200))).send(
            try HTTPRequest(.get, "http://127.0.0.1/a"), context: context(sink))
        let names = lines(sink.recorder).map { $0.dropFirst("1 first: ".count) }
        #expect(
            names == (interests.contains(.calls) ? ["started"] : [])
                + (interests.contains(.attempts) ? ["attempt started", "attempt ended 200"] : [])
                + (interests.contains(.calls) ? ["succeeded 200 after 1"] : []))
    }

    /// An attempt has both of its events or none, whatever a sink wants while it waits.
    @Test(arguments: [false, true]) func interestsChangeDuringAWait(wantsStart: Bool) async throws {
        let sink = FickleSink(wantsStart ? .attempts : [])
        let admission = GatedAdmission()
        let transport = ScriptedTransport { _, _ in
            sink.want(.attempts)
            return .status(200)
        }
        let (engine, context) = (AttemptEngine(transport: transport, admission: admission), context(sink))
        let call = Task {
            try await engine.send(try HTTPRequest(.get, "http://127.0.0.1/a"), context: context)
        }
        await admission.gate.waitForArrivals(1)
        sink.want(wantsStart ? [] : .attempts)
        admission.gate.open()
        #expect(try await call.value.status == 200)
        #expect(
            lines(sink.recorder)
                == (wantsStart ? ["1 first: attempt started", "1 first: attempt ended 200"] : []))
    }

    /// To read the clock takes as long as to count an event: the call's deadline and its four events are five readings. The
    /// hand-over to the transport takes that of the attempt's start.
    @Test func anEventReadsTheClockOnce() async throws {
        let (recorder, clock) = (EventRecorder(), CountingClock())
        var configuration = AsyncRequestEngine.Configuration()
        configuration.clock = clock
        configuration.events = recorder
        let engine = AsyncRequestEngine(
            transport: ScriptedTransport(.status(200)), configuration: configuration)
        let before = clock.count
        let context = RequestContext(clock: clock)
        _ = try await engine.send(try HTTPRequest(.get, "http://127.0.0.1/a"), context: context)
        #expect(clock.count - before == 5)
        let (begin, instants) = (try #require(recorder.events.first).instant, recorder.events.map(\.instant))
        #expect(instants == [0, 1, 2, 3].map { begin + .seconds($0) })
        guard case .attemptEnded(let end) = recorder.events[2].kind,
            case .succeeded(_, _, let duration) = recorder.events[3].kind
        else { return #expect(Bool(false)) }
        #expect(end.duration == .seconds(1) && duration == .seconds(3))
    }

    /// Events are built on the stack and copied by sinks that keep them.
    @Test func eventsAreSmall() { #expect(MemoryLayout<RequestEvent>.size <= 272) }
}

/// A clock that is a second later at each reading.
private final class CountingClock: GatewayClock {
    private let start = ContinuousClock.now
    private let readings = Locked(0)

    var count: Int { readings.withLock { $0 } }
    var unixTime: Duration { .zero }
    var now: ContinuousClock.Instant {
        start
            + .seconds(
                readings.withLock { count in
                    count += 1
                    return count
                })
    }

    func sleep(until instant: ContinuousClock.Instant) async throws(CancellationError) {}
}

/// Receives the events that it wants.
private final class ChoosySink: RequestEventSink {
    let interests: EventInterests
    let recorder = EventRecorder()

    init(interests: EventInterests) { self.interests = interests }

    func record(_ event: borrowing RequestEvent) { recorder.record(event) }
}

/// A sink whose interests change.
private final class FickleSink: RequestEventSink {
    let recorder = EventRecorder()
    private let wanted: Locked<EventInterests>
    var interests: EventInterests { wanted.withLock { $0 } }

    init(_ interests: EventInterests) { wanted = Locked(interests) }
    func want(_ interests: EventInterests) { wanted.withLock { $0 = interests } }
    func record(_ event: borrowing RequestEvent) { recorder.record(event) }
}

/// Every attempt waits for its permit.
private struct GatedAdmission: AdmissionControl {
    private final class Permit: AdmissionPermit {
        let hasWaited = true
        func end(_ outcome: AdmissionOutcome) {}
    }

    let gate = Gate()

    func enterNow(_ request: HTTPRequest, context: RequestContext) -> (any AdmissionPermit)? { nil }

    func enter(_ request: HTTPRequest, context: RequestContext) async -> any AdmissionPermit {
        await gate.pass()
        return Permit()
    }
}
