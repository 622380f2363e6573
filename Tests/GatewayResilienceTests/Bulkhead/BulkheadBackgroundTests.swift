import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayResilience

/// Calls in the background leave permits to others.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct BulkheadBackgroundTests {
    private func engine(_ policy: BulkheadPolicy, _ transport: some Transport) -> AsyncRequestEngine {
        var configuration = AsyncRequestEngine.Configuration()
        configuration.protection.bulkhead = policy
        configuration.clock = ManualClock()
        return AsyncRequestEngine(transport: transport, configuration: configuration)
    }

    private func call(
        _ engine: AsyncRequestEngine, _ target: String, isBackground: Bool = true
    ) throws -> Task<String, Never> {
        let request = try HTTPRequest(.get, "http://h\(target)")
        return Task {
            do throws(NetworkError) {
                return
                    "\(try await engine.send(request, options: CallOptions(isBackground: isBackground)).status)"
            } catch {
                return error.code.name
            }
        }
    }

    /// queue.foreground-first
    @Test func callsInTheBackgroundLeaveTheLastQuarter() async throws {
        let gate = Gate()
        let transport = ScriptedTransport { _, _ in
            await gate.pass()
            return .status(200)
        }
        let engine = engine(BulkheadPolicy(perOrigin: .fixed(8), inAll: 12), transport)
        var calls = try (0..<6).map { try call(engine, "/\($0)") }
        await gate.waitForArrivals(6)
        // It does not wait for a permit either.
        #expect(await (try call(engine, "/more")).value == "overloaded")
        calls += try (6..<8).map { try call(engine, "/\($0)", isBackground: false) }
        await gate.waitForArrivals(8)
        #expect(engine.bulkhead?.statistics.all.inUse == 8)
        gate.open()
        for call in calls { #expect(await call.value == "200") }
        #expect(await (try call(engine, "/later")).value == "200")
    }

    /// A bulkhead with one permit lets a call in the background through, too.
    @Test func callsInTheBackgroundHaveOnePermitAtLeast() async throws {
        let engine = engine(BulkheadPolicy(perOrigin: .fixed(1), inAll: 4), ScriptedTransport(.status(200)))
        #expect(await (try call(engine, "/x")).value == "200")
    }
}
