import GatewayCore
import GatewaySQLite
import TestTiers
import Testing

/// The executor of the file.
@Suite(.timeLimit(.minutes(2)), .tags(.concurrent)) struct DiskThreadTests {
    private actor Counter {
        private let thread: DiskThread
        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }
        private(set) var count = 0
        private(set) var order: [Int] = []

        init(_ thread: DiskThread) { self.thread = thread }
        deinit { thread.finish() }

        func add() { count += 1 }
        func note(_ number: Int) { order.append(number) }
    }

    @Test(arguments: [true, false])
    func jobsRunOneByOneWithAndWithoutAThread(hasThread: Bool) async {
        let counter = Counter(DiskThread { hasThread })
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<64 {
                group.addTask { for _ in 0..<100 { await counter.add() } }
            }
        }
        // Two jobs at a time would lose counts.
        #expect(await counter.count == 6_400)
        for number in 0..<100 { await counter.note(number) }
        #expect(await counter.order == Array(0..<100))
    }

    /// The system gives a thread, then none, then one again.
    @Test func aThreadThatIsMissingForAWhileLosesNoJob() async {
        let attempts = Locked(0)
        let counter = Counter(
            DiskThread {
                attempts.withLock { attempts in
                    attempts += 1
                    return attempts > 3
                }
            })
        // A job that comes while a task still runs the one before needs no attempt.
        var added = 0
        while attempts.withLock({ $0 }) < 4, added < 100_000 {
            await counter.add()
            added += 1
        }
        for _ in 0..<10 { await counter.add() }
        #expect(await counter.count == added + 10)
        #expect(attempts.withLock { $0 } == 4)
    }
}
