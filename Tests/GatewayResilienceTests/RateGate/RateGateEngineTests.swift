import Foundation
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayResilience

/// A rate gate beside the other layers of an engine: retries, coalescing, credentials, operations.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct RateGateEngineTests: RateGateSuite {
    let clock = ManualClock()
    let events = EventRecorder()

    /// Rejects the first requests and accepts the others.
    private func server(
        rejecting count: Int = 1, _ status: Int = 429, _ fields: HTTPFields = ["Retry-After": "10"]
    ) -> RateGateServer {
        RateGateServer(clock) { _, index in index < count ? .status(status, fields: fields) : .status(200) }
    }

    private var retries: (inout AsyncRequestEngine.Configuration) -> Void {
        { configuration in configuration.retry.policy = .standard }
    }

    // MARK: Retries

    /// A retry waits once: in the gate, at its place before the calls that came later.
    @Test func aRetryWaitsOnceAndAtItsPlace() async throws {
        let server = server()
        let (engine, gate) = try engine(server, .standard, seed: 1, retries)
        let first = Task { try await call(engine, "/first") }
        await eventually { gate.limits.first?.waiting == 1 }
        let second = Task { try await call(engine, "/second") }
        await eventually { gate.limits.first?.waiting == 2 }
        // Nothing but the alarm of the gate sleeps.
        await clock.waitForSleepers(1)
        #expect(clock.sleeperCount == 1 && clock.requestedDelays.count == 1)
        await advance(until: { server.times.count == 3 }) {
            (gate.limits.first?.waiting ?? 0) + server.times.count == 3
        }
        #expect(try await first.value == "200")
        #expect(try await second.value == "200")
        #expect(server.targets == ["/first", "/first", "/second"])
        #expect(server.times[1] >= .seconds(10) && server.times[1] <= .seconds(11))
        #expect(server.times[2] - server.times[1] >= .milliseconds(50))
        let kinds = events.events.map { "\($0.kind)".prefix { $0 != "(" } }
        #expect(kinds.filter { $0 == "retryScheduled" }.count == 1)
        #expect(kinds.filter { $0 == "rateGateHeld" }.count == 2)
        #expect(kinds.filter { $0 == "rateGateWaited" }.count == 2)
    }

    /// A wait that fails has its time.
    @Test func aWaitThatIsCancelledIsAnEvent() async throws {
        let (engine, gate) = try engine(server(), .standard, seed: 1, retries)
        let first = Task { try await call(engine) }
        await eventually { gate.limits.first?.waiting == 1 }
        clock.advance(by: .seconds(2))
        first.cancel()
        #expect(try await first.value == "cancelled")
        let waits = events.events.compactMap { event -> Duration? in
            if case .rateGateWaited(let time) = event.kind { time } else { nil }
        }
        #expect(waits == [.seconds(2)])
    }

    /// The wait that the policy asks for, if it is longer than that of the gate.
    @Test func aLongerDelayOfThePolicyCounts() async throws {
        let server = server(rejecting: 1, 429, ["Retry-After": "1"])
        let (engine, _) = try engine(server) { $0.retry.policy = .fixed(attempts: 2, delay: .seconds(30)) }
        let first = Task { try await call(engine) }
        await advance { server.times.count == 2 }
        #expect(try await first.value == "200")
        #expect(server.times[1] >= .seconds(30) && server.times[1] <= .seconds(31))
    }

    /// A retry whose turn comes too late is not made: the call ends with what the server said, at once.
    @Test func aRetryWithoutTimeEndsWithTheResponse() async throws {
        let server = server()
        let (engine, gate) = try engine(server) { $0.retry.policy = .standard }
        #expect(try await call(engine, options: CallOptions(deadline: .seconds(10))) == "429")
        #expect(clock.requestedDelays.isEmpty && gate.limits.first?.waiting == 0)
        guard
            case .notRetried(.deadline(let delay), status: 429, error: nil)? = events.events.dropLast().last?
                .kind
        else {
            Issue.record("\(events.events.map(\.kind))")
            return
        }
        #expect(delay >= .seconds(10) && delay <= .seconds(11))
    }

    @Test(arguments: [RateGatePolicy.failFast, .standard])
    func aRetryThatMayNotWaitEndsWithTheResponse(policy: RateGatePolicy) async throws {
        let server = server()
        let (engine, _) = try engine(server, policy, seed: 1, retries)
        let options = policy == .failFast ? CallOptions() : CallOptions(rateGate: .fail)
        #expect(try await call(engine, options: options) == "429")
        #expect(try await call(engine, options: options) == "rate_limited")
        #expect(server.times.count == 1)
        let refusals = events.events.compactMap { event -> RetryRefusal? in
            if case .notRetried(let reason, _, _) = event.kind { reason } else { nil }
        }
        guard case .rateGate? = refusals.first else {
            Issue.record("\(refusals)")
            return
        }
    }

    /// A retry is not made if too many calls wait: its call has a response already.
    @Test func aRetryBeforeAFullGateEndsWithTheResponse() async throws {
        let held = Gate()
        let transport = ScriptedTransport { request, _ in
            guard request.target == "/late" else { return .status(429, fields: ["Retry-After": "10"]) }
            await held.pass()
            return .status(503)
        }
        let (engine, gate) = try engine(transport, RateGatePolicy(maximumWaiting: 1), seed: 1, retries)
        let late = Task { try await call(engine, "/late") }
        await held.waitForArrivals(1)
        let first = Task { try await call(engine) }
        await eventually { gate.limits.first?.waiting == 1 }
        held.open()
        #expect(try await late.value == "503")
        first.cancel()
        #expect(try await first.value == "cancelled")
    }

    /// A call that is rejected here is not retried, counts no attempt and takes nothing from the budget; nor does a retry
    /// that is cancelled in the gate.
    @Test func whatTheGateRefusesCostsNothing() async throws {
        let server = server(rejecting: 2)
        let (engine, gate) = try engine(server) { configuration in
            configuration.retry.policy = .standard
            configuration.retry.budget = RetryBudget(share: 0, perSecond: 0, reserve: 1)
        }
        for _ in 0..<3 {
            let task = Task { try await call(engine) }
            if server.times.isEmpty { await eventually { server.times.count == 1 } }
            await eventually { gate.limits.first?.waiting == 1 }
            #expect(try await failure(engine, CallOptions(deadline: .seconds(1)))?.attempts == 0)
            task.cancel()
            #expect(try await task.value == "cancelled")
        }
        #expect(server.times.count == 1)
        // The token is still there.
        let last = Task { try await call(engine) }
        await advance { server.times.count >= 3 }
        #expect(try await last.value == "200")
        #expect(events.stateEvents.allSatisfy { $0.kind != .retryBudgetExhausted })
    }

    /// Calls that were sent before the gate closed say nothing about the pace: a burst is one rejection.
    @Test func theRejectionsOfABurstCountOnce() async throws {
        let hold = Gate()
        let transport = ScriptedTransport { _, _ in
            await hold.pass()
            return .status(429)
        }
        let (engine, gate) = try engine(transport)
        let tasks = (0..<20).map { _ in Task { try await call(engine) } }
        await hold.waitForArrivals(20)
        hold.open()
        for task in tasks { #expect(try await task.value == "429") }
        let limit = try #require(gate.limits.first)
        #expect(limit.closedFor >= .seconds(1) && limit.closedFor <= .milliseconds(1_100))
        #expect(limit.callsPerSecond == 10)
    }

    // MARK: Connections

    /// Lets attempts in when it is opened, and notes what becomes of their permits.
    private final class HeldAdmission: AdmissionControl {
        private struct Permit: AdmissionPermit {
            let owner: HeldAdmission

            func end(_ outcome: AdmissionOutcome) {
                let text =
                    switch outcome {
                    case .response(let status): "\(status)"
                    case .failed(let error): error.code.name
                    case .notSent: "not sent"
                    }
                owner.recorded.withLock { $0.append(text) }
            }
        }

        let hold = Gate()
        private let recorded = Locked<[String]>([])
        var ends: [String] { recorded.withLock { $0 } }

        func enter(
            _ request: HTTPRequest, context: RequestContext
        ) async throws(NetworkError) -> any AdmissionPermit {
            await hold.pass()
            return Permit(owner: self)
        }
    }

    /// A call that has waited for a connection when the gate closes returns it, and waits for its turn.
    @Test func whatWaitedForAConnectionWaitsForItsTurn() async throws {
        let server = RateGateServer(clock) { _, _ in .status(200) }
        let admission = HeldAdmission()
        let (engine, gate) = try engine(server) { $0.protection.admission = admission }
        let first = Task { try await call(engine) }
        await admission.hold.waitForArrivals(1)
        gate.note(
            429, ["Retry-After": "10"], to: try request(), RequestContext(clock: clock), sent: .none)
        admission.hold.open()
        await eventually { gate.limits.first?.waiting == 1 }
        #expect(server.times.isEmpty && admission.ends == ["not sent"])
        await advance { server.times.count == 1 }
        #expect(try await first.value == "200")
        #expect(server.times.allSatisfy { $0 >= .seconds(10) })
        #expect(admission.ends == ["not sent", "200"])
    }

    /// What a response says is known before its permit ends: the next call that gets it is not sent.
    @Test func aRejectionIsNotedBeforeItsPermitEnds() async throws {
        let gate = Locked<RateGate?>(nil)
        final class Last: AdmissionControl {
            let onEnd: @Sendable () -> Void
            init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

            struct Permit: AdmissionPermit {
                let owner: Last
                func end(_ outcome: AdmissionOutcome) { owner.onEnd() }
            }

            func enter(
                _ request: HTTPRequest, context: RequestContext
            ) async throws(NetworkError) -> any AdmissionPermit { Permit(owner: self) }
        }
        let states = Locked<[Bool?]>([])
        let admission = Last {
            let isLimiting = gate.withLock { $0 }?.isLimiting
            states.withLock { $0.append(isLimiting) }
        }
        let (engine, made) = try engine(server()) { $0.protection.admission = admission }
        gate.withLock { $0 = made }
        #expect(try await call(engine) == "429")
        #expect(states.withLock { $0 } == [true])
    }

    /// An attempt that has its permit may be sent unless a gate is closed that concerns it.
    @Test func aClosedGateHoldsRequestsBack() async throws {
        let (_, gate) = try engine(server())
        let request = try request()
        let context = RequestContext(clock: clock)
        #expect(gate.admit(request, context) != nil)
        gate.note(404, ["Retry-After": "10"], to: request, context, sent: .none)
        #expect(gate.admit(request, context) != nil)
        gate.note(429, ["Retry-After": "10"], to: request, context, sent: .none)
        #expect(gate.admit(request, context) == nil)
        #expect(gate.admit(try self.request("/x", "other"), context) != nil)
        let ignoring = RequestContext(options: CallOptions(rateGate: .ignore), clock: clock)
        #expect(gate.admit(request, ignoring) != nil)
        // Its turn has come.
        clock.advance(by: .seconds(11))
        #expect(gate.admit(request, context) != nil)
    }

    // MARK: Coalescing

    /// A leader without time for its turn does not decide for a follower with more.
    @Test func aLeaderWithoutTimeHandsOver() async throws {
        let server = server()
        let (engine, gate) = try engine(server) { $0.coalescing = .init() }
        _ = try await call(engine)
        let leader = Task { try await call(engine, options: CallOptions(deadline: .seconds(15))) }
        await eventually { gate.limits.first?.waiting == 1 }
        let follower = Task { try await call(engine) }
        await eventually {
            events.events.contains { if case .deduplicated = $0.kind { true } else { false } }
        }
        // The gate closes for longer than the leader has time.
        let longer = RateGateServer(clock) { _, _ in .status(429, fields: ["Retry-After": "20"]) }
        let other = AttemptEngine(transport: longer, admission: nil, gate: gate, instrument: nil)
        let ignoring = RequestContext(options: CallOptions(rateGate: .ignore), clock: clock)
        _ = try await other.send(try request("/other"), context: ignoring)
        #expect(try await leader.value == "rate_limited")
        await advance { server.times.count == 2 }
        #expect(try await follower.value == "200")
    }

    @Test func callsWithOtherChoicesAreOtherCalls() throws {
        let request = try request()
        let identities = [RateGateChoice?.none, .wait, .fail, .ignore].map {
            RequestIdentity(request, context: RequestContext(options: CallOptions(rateGate: $0)))
        }
        #expect(identities[0] == identities[1] && Set(identities).count == 3)
    }

    // MARK: What a limit concerns

    private final class Credential: CredentialSource {
        let identity: CredentialIdentity
        init(_ key: String) { identity = CredentialIdentity(key: key, epoch: 1) }
        func isReady(atLeast generation: UInt64) -> Bool { true }
        func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError) {}
        func stamp(_ request: inout HTTPRequest, atLeast generation: UInt64) throws(NetworkError)
            -> CredentialStamp?
        { CredentialStamp(identity: identity, generation: 1) }
    }

    /// The limit of one credential holds back no call of another, nor one of another origin.
    @Test func aLimitBelongsToItsCredentialAndOrigin() async throws {
        let server = server(rejecting: 1)
        let (engine, _) = try engine(server, .failFast)
        func status(_ credential: String?, _ key: String? = nil, host: String = "h") async throws -> String {
            var request = try request("/x", host)
            if let key { request.fields["Authorization"] = key }
            let context = RequestContext(credentials: credential.map(Credential.init), clock: clock)
            do { return "\(try await engine.send(request, context: context).status)" } catch {
                return error.code.name
            }
        }
        #expect(try await status("a") == "429")
        #expect(try await status("a") == "rate_limited")
        #expect(try await status("b") == "200")
        #expect(try await status(nil) == "200")
        #expect(try await status(nil, "Basic YTpi") == "200")
        #expect(try await status("a", host: "other") == "200")
        let (keys, _) = try self.engine(self.server(), .failFast)
        for (key, expected) in [("k1", "429"), ("k1", "rate_limited"), ("k2", "200")] {
            var request = try request()
            request.fields["X-API-Key"] = key
            do { #expect("\(try await keys.send(request).status)" == expected) } catch {
                #expect(error.code.name == expected)
            }
        }
    }

    /// A limit with a name concerns the operations whose responses name it.
    @Test func aNamedLimitConcernsItsOperations() async throws {
        let server = RateGateServer(clock) { request, _ in
            switch request.target {
            case "/search":
                .status(
                    403,
                    fields: [
                        "X-RateLimit-Limit": "10", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "30",
                        "X-RateLimit-Resource": "search",
                    ])
            default:
                .status(
                    200,
                    fields: [
                        "X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": "4999",
                        "X-RateLimit-Reset": "30",
                        "X-RateLimit-Resource": "core",
                    ])
            }
        }
        let (engine, gate) = try engine(server, .failFast)
        #expect(try await call(engine, "/search", operation: "search") == "403")
        #expect(try await call(engine, "/search", operation: "search") == "rate_limited")
        #expect(try await call(engine, "/books", operation: "books") == "200")
        #expect(gate.limits.map(\.name) == ["search"])
        #expect(gate.limits.allSatisfy { $0.closedFor >= .seconds(30) && $0.waiting == 0 })
    }

    /// Without a name a limit concerns all calls, or those of the operation, as the policy says.
    @Test func theScopeOfALimitWithoutAName() async throws {
        var policy = RateGatePolicy.failFast
        for (scope, expected) in [(RateGatePolicy.Scope.origin, "rate_limited"), (.operation, "200")] {
            policy.scope = scope
            let (engine, _) = try engine(server(), policy)
            #expect(try await call(engine, operation: "login") == "429")
            #expect(try await call(engine, operation: "login") == "rate_limited")
            #expect(try await call(engine, operation: "books") == expected)
            #expect(try await call(engine) == expected)
        }
    }

    @Test func aCallMayIgnoreTheLimit() async throws {
        let (engine, gate) = try engine(server(rejecting: 2), .failFast)
        #expect(try await call(engine) == "429")
        #expect(try await call(engine, options: CallOptions(rateGate: .ignore)) == "429")
        #expect(try await call(engine) == "rate_limited")
        #expect(try await call(engine, options: CallOptions(rateGate: .ignore)) == "200")
        #expect(gate.limits.count == 1)
    }

    // MARK: Bounds

    /// At most 1,024 limits are kept; one that holds calls back is not forgotten.
    @Test func theNumberOfLimitsIsBounded() async throws {
        let server = RateGateServer(clock) { request, _ in
            request.origin.host.hasPrefix("closed")
                ? .status(429, fields: ["Retry-After": "3600"])
                : .status(200, fields: ["RateLimit": "\"a\";r=1;t=3600"])
        }
        let (engine, gate) = try engine(server, .failFast)
        for number in 0..<1_000 { _ = try await call(engine, host: "closed\(number)") }
        for number in 0..<1_000 { #expect(try await call(engine, host: "open\(number)") == "200") }
        #expect(gate.limits.count == 1_000)
        for number in 0..<50 { _ = try await call(engine, host: "closed-too\(number)") }
        #expect(gate.limits.count == 1_024)
        #expect(try await call(engine, host: "closed0") == "rate_limited")
        #expect(try await call(engine, host: "closed-too49") == "429")
        // What has opened makes room.
        clock.advance(by: .seconds(3_700))
        #expect(try await call(engine, host: "closed-late") == "429")
        clock.advance(by: .seconds(3_000))
        #expect(try await call(engine, host: "closed-late") == "rate_limited")
    }

    /// Whatever a server says, a gate is closed for a day at most, jitter included.
    @Test(arguments: ["86400", "86399", "1e9", "86401", "Sat, 03 Jan 2026 00:00:00 GMT"])
    func aGateIsNeverClosedForMoreThanADay(value: String) async throws {
        let server = server(rejecting: 9, 429, ["Retry-After": value, "X-RateLimit-Reset": "86400"])
        let (engine, gate) = try engine(server, .failFast, seed: TestSeed.value(UInt64(value.utf8.count)))
        _ = try await call(engine)
        let left = try #require(gate.limits.first?.closedFor)
        #expect(left <= .seconds(86_400) && left > .zero)
    }

    @Test func impossiblePoliciesNameTheProperty() {
        let wrong: [(String, RateGatePolicy)] = [
            ("statuses", RateGatePolicy(statuses: [200])), ("statuses", RateGatePolicy(statuses: [401])),
            ("pause", RateGatePolicy(pause: .zero)), ("pause", RateGatePolicy(pause: .seconds(61))),
            ("longestWait", RateGatePolicy(longestWait: .seconds(-1))),
            ("longestWait", RateGatePolicy(longestWait: .seconds(86_401))),
            ("firstPace", RateGatePolicy(firstPace: 0)), ("firstPace", RateGatePolicy(firstPace: .nan)),
            ("firstPace", RateGatePolicy(firstPace: .infinity)),
            ("slowestPace", RateGatePolicy(slowestPace: 0)), ("slowestPace", RateGatePolicy(slowestPace: 11)),
            ("maximumWaiting", RateGatePolicy(maximumWaiting: 0)),
            ("maximumWaiting", RateGatePolicy(maximumWaiting: 1_000_001)),
        ]
        for (property, policy) in wrong {
            #expect(throws: NetworkError.self, "\(property)") { try RateGate(policy) }
            do { _ = try RateGate(policy) } catch {
                #expect(error.code == .misconfigured && error.message.contains("'\(property)'"), "\(error)")
            }
        }
    }

    @Test func presetsAreAsDocumented() throws {
        for policy in [RateGatePolicy.standard, .patient, .failFast, .cautious] { try policy.validate() }
        let waits = [RateGatePolicy.standard, .patient, .failFast, .cautious].map(\.longestWait)
        #expect(waits == [.seconds(60), .seconds(600), .zero, .seconds(60)])
        #expect(
            RateGatePolicy.standard.statuses == [403, 429, 503] && RateGatePolicy.standard == RateGatePolicy()
        )
        #expect(RateGatePolicy.cautious.obeysLegacyRemaining && !RateGatePolicy.standard.obeysLegacyRemaining)
    }
}
