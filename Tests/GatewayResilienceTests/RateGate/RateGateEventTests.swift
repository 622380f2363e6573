import Foundation
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayResilience

/// What a rate gate reports: its closings and openings, and the fields that it ignores.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct RateGateEventTests: RateGateSuite {
    let clock = ManualClock()
    let events = EventRecorder()

    @Test func changesAreEvents() async throws {
        let server = RateGateServer(clock) { _, index in
            index == 0
                ? .status(
                    200,
                    fields: ["RateLimit": "\"b u r s t\";r=0;t=4, \"day\";r=9;t=100000", "Retry-After": "x"])
                : .status(429, fields: ["Retry-After": "-1"])
        }
        let (engine, _) = try engine(server)
        _ = try await call(engine)
        let second = Task { try await call(engine) }
        await advance { server.times.count == 2 }
        #expect(try await second.value == "429")
        let kinds = events.stateEvents.map(\.kind)
        guard kinds.count == 5, case .rateGateClosed("", let first, .exhausted(status: 200)) = kinds[2],
            case .rateGateClosed("", let last, .rejected(status: 429)) = kinds[4]
        else {
            Issue.record("\(kinds)")
            return
        }
        #expect(kinds[0] == .rateLimitFieldIgnored("Retry-After"))
        #expect(kinds[1] == .rateLimitFieldIgnored("RateLimit") && kinds[3] == .rateGateOpened(""))
        #expect(first >= .seconds(4) && first <= .seconds(4.4) && last >= .seconds(1))
    }

    /// Changes are reported in their order, and before the calls go on that follow from them.
    @Test func eventsComeInTheOrderOfTheChanges() async throws {
        let server = RateGateServer(clock) { _, _ in Self.limited() }
        let sink = SlowSink()
        let (engine, _) = try engine(server) { $0.events = sink }
        #expect(try await call(engine) == "429")
        let second = Task { try await call(engine) }
        await advance { sink.isBusy }
        // The gate closes again while its opening is reported.
        #expect(try await call(engine, options: CallOptions(rateGate: .ignore)) == "429")
        #expect(server.times.count == 2)
        sink.goOn()
        // It was released, and waits again: the gate has closed before it was sent.
        await advance { server.times.count == 3 }
        #expect(try await second.value == "429")
        let kinds = Self.words(sink.kinds)
        #expect(kinds.starts(with: ["closed", "opened", "closed"]), "\(kinds)")
    }

    /// A limit whose time is over has opened, also where no call waited for it.
    @Test func whatClosesAgainHasOpenedBefore() async throws {
        let (engine, _) = try engine(RateGateServer(clock) { _, _ in Self.limited() })
        for _ in 0..<2 {
            #expect(try await call(engine, options: CallOptions(rateGate: .ignore)) == "429")
            clock.advance(by: .seconds(20))
        }
        #expect(Self.words(events.stateEvents.map(\.kind)) == ["closed", "opened", "closed"])
    }

    private static func words(_ kinds: [StateEvent.Kind]) -> [String] {
        kinds.map { kind in
            switch kind {
            case .rateGateClosed: "closed"
            case .rateGateOpened: "opened"
            default: "\(kind)"
            }
        }
    }
}

/// Records changes of states. That a gate has opened keeps it busy at first.
private final class SlowSink: RequestEventSink {
    let interests = EventInterests.state
    private let recorded = Locked<[StateEvent.Kind]>([])
    private let stage = Locked((isBusy: false, mayGoOn: false))

    var kinds: [StateEvent.Kind] { recorded.withLock { $0 } }
    var isBusy: Bool { stage.withLock { $0.isBusy } }

    func goOn() { stage.withLock { $0.mayGoOn = true } }

    func record(_ event: borrowing RequestEvent) {}

    func record(_ event: borrowing StateEvent) {
        if case .rateGateOpened = event.kind {
            stage.withLock { $0.isBusy = true }
            while !stage.withLock({ $0.mayGoOn }) { usleep(1_000) }
        }
        let kind = event.kind
        recorded.withLock { $0.append(kind) }
    }
}
