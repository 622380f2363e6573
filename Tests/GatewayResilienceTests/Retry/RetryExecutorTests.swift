import GatewayCore
import GatewayResilience
import GatewayTesting
import Testing

@Suite struct RetryExecutorTests {
    private struct Failure: Error, Equatable { let number: Int }

    private func executor(_ policy: any RetryPolicy, _ clock: any GatewayClock) -> RetryExecutor {
        RetryExecutor(policy, clock: clock, random: SeededRandomSource(seed: 1))
    }

    /// Fails with the numbers of its attempts up to a number.
    private func failing(_ times: Int) -> (@Sendable () async throws -> Int, @Sendable () -> Int) {
        let count = Locked(0)
        return (
            {
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                guard number > times else { throw Failure(number: number) }
                return number
            },
            { count.withLock { $0 } }
        )
    }

    @Test func anyErrorIsTriedAgain() async throws {
        let (operation, _) = failing(2)
        #expect(try await executor(.immediate(attempts: 3), ManualClock()).execute(operation) == 3)
    }

    @Test func theLastErrorIsThrown() async throws {
        let (operation, _) = failing(9)
        await #expect(throws: Failure(number: 3)) {
            try await executor(.immediate(attempts: 3), ManualClock()).execute(operation)
        }
    }

    @Test func whatMayHaveHadItsEffectIsNotRepeated() async throws {
        let (operation, count) = failing(9)
        await #expect(throws: Failure(number: 1)) {
            try await executor(.immediate(attempts: 3), ManualClock()).execute(
                isIdempotent: false, operation)
        }
        #expect(count() == 1)
        let refused = NetworkError(.connectionRefused, "refused", mayHaveBeenSent: false)
        let calls = Locked(0)
        _ = await #expect(throws: NetworkError.self) {
            try await executor(.immediate(attempts: 3), ManualClock()).execute(isIdempotent: false) {
                calls.withLock { $0 += 1 }
                throw refused
            }
        }
        #expect(calls.withLock { $0 } == 3)
    }

    @Test func noAttemptBeginsAfterTheDeadline() async throws {
        let clock = ManualClock()
        let (operation, count) = failing(9)
        let executor = executor(.fixed(attempts: 9, delay: .seconds(2)), clock)
        let deadline = Deadline.after(.seconds(3), clock: clock)
        let run = Task { try await executor.execute(deadline: deadline, operation) }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2))
        await #expect(throws: Failure(number: 2)) { try await run.value }
        #expect(count() == 2)
    }

    @Test func aCancelledWaitThrowsTheErrorOfTheAttempt() async throws {
        let clock = ManualClock()
        let (operation, count) = failing(9)
        let executor = executor(.fixed(attempts: 9, delay: .seconds(2)), clock)
        let run = Task { try await executor.execute(operation) }
        await clock.waitForSleepers(1)
        run.cancel()
        await #expect(throws: Failure(number: 1)) { try await run.value }
        #expect(count() == 1)
    }

    /// A cancelled caller gets what the operation makes of the cancellation.
    @Test func aCancelledOperationSaysHowItEnds() async throws {
        let (clock, gate) = (ManualClock(), Gate())
        let run = Task {
            try await executeWithTimeout(.seconds(2), clock: clock) {
                await gate.pass()
                return Task.isCancelled ? 7 : 0
            }
        }
        await gate.waitForArrivals(1)
        await clock.waitForSleepers(1)
        run.cancel()
        gate.open()
        #expect(try await run.value == 7)
    }

    @Test func whatTakesTooLongIsCancelled() async throws {
        let clock = ManualClock()
        let run = Task {
            try await executeWithTimeout(.seconds(2), clock: clock) {
                try await clock.sleep(until: clock.now.advanced(by: .seconds(60)))
            }
        }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(2))
        let error = await #expect(throws: NetworkError.self) { try await run.value }
        #expect(error?.code == .timeout)
    }

    @Test func whatIsInTimeGivesItsValue() async throws {
        #expect(try await executeWithTimeout(.seconds(2), clock: ManualClock()) { 7 } == 7)
        await #expect(throws: Failure(number: 1)) {
            try await executeWithTimeout(.seconds(2), clock: ManualClock()) { throw Failure(number: 1) }
        }
        let error = await #expect(throws: NetworkError.self) {
            try await executeWithTimeout(.zero, clock: ManualClock()) { 7 }
        }
        #expect(error?.code == .timeout)
    }
}
