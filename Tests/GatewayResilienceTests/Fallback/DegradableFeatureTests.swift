import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

@Suite struct DegradableFeatureTests {
    private static let timeout = NetworkError(.timeout, "late")

    private func name(_ outcome: DegradableFeature<Int, String>.Outcome) -> String {
        switch outcome {
        case .full(let value): "full \(value)"
        case .degraded(let value, let error): "\(value) \((error as? NetworkError)?.code.name ?? "-")"
        }
    }

    @Test func theFullResultComesFirst() async throws {
        let feature = DegradableFeature<Int, String> {
            1
        } degraded: { _ in
            "degraded"
        }
        #expect(name(try await feature.execute()) == "full 1")
    }

    @Test func anUnavailableServiceDegrades() async throws {
        let feature = DegradableFeature<Int, String> {
            throw Self.timeout
        } degraded: { _ in
            "degraded"
        }
        #expect(name(try await feature.execute()) == "degraded timeout")
    }

    @Test(arguments: [NetworkError.Code.invalidURL, .cancelled])
    func otherErrorsAreThrown(code: NetworkError.Code) async {
        let feature = DegradableFeature<Int, String> {
            throw NetworkError(code, "x")
        } degraded: { _ in
            "degraded"
        }
        await #expect(throws: NetworkError.self) { try await feature.execute() }
    }

    @Test func aTaskThatIsCancelledIsNotDegraded() async {
        let feature = DegradableFeature<Int, String> {
            withUnsafeCurrentTask { task in unsafe task?.cancel() }
            throw Self.timeout
        } degraded: { _ in
            "degraded"
        }
        let task = Task { try await feature.execute() }
        await #expect(throws: NetworkError.self) { try await task.value }
    }

    @Test func anOpenCircuitDegradesAtOnce() async throws {
        let clock = ManualClock()
        let breaker = try CircuitBreaker(named: "search", policy: .aggressive, clock: clock)
        let calls = CallCount()
        let feature = DegradableFeature<Int, String>(breaker: breaker) {
            calls.add()
            throw Self.timeout
        } degraded: { _ in
            "degraded"
        }
        for _ in 0..<20 { _ = try await feature.execute() }
        #expect(breaker.state == .open)
        #expect(calls.value < 20)
        let before = calls.value
        #expect(name(try await feature.execute()) == "degraded circuit_open")
        #expect(calls.value == before)
    }
}

/// Counts calls.
private final class CallCount: Sendable {
    private let count = Locked(0)
    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
}
