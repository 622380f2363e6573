import BenchmarkClients
import GatewayClient
import GatewayTesting
import Synchronization

/// Many callers wait for one refresh: how soon the last of them goes on when it has ended, and what each takes.
struct WaiterBurst {
    let waiters: Int
    let rounds: Int

    /// Gives a grant when a gate opens, and notes when.
    private final class HeldAcquirer: TokenAcquirer {
        let gate = Gate()
        let ended = Atomic<UInt64>(0)
        let requests = Atomic<Int>(0)

        func acquire(_ request: TokenRequest) async throws -> TokenGrant {
            requests.add(1, ordering: .relaxed)
            await gate.pass()
            ended.store(ProcessUsage.now.bitPattern, ordering: .releasing)
            return TokenGrant(accessToken: Secret(ClientJob.token), expiresIn: .seconds(3600))
        }
    }

    private struct Round {
        var milliseconds = 0.0
        var bytes = 0.0
        var requests = 0
        var served = 0
    }

    func measure() async throws -> FigureRow {
        var all: [Round] = []
        var tasksAlone: [Double] = []
        // The first round of each makes the threads and the pools of memory.
        for round in 0...rounds {
            let bytes = await bytesOfTasks()
            let measured = await burst()
            guard round > 0 else { continue }
            tasksAlone.append(bytes)
            all.append(measured)
        }
        func median(_ figure: (Round) -> Double) -> Double { FigureRow.median(all.map(figure)) }
        return FigureRow(
            name: "waiters", title: "\(waiters) callers that wait for one refresh", rounds: rounds,
            figures: [
                .init(name: "last_resumed_ms", value: median(\.milliseconds), goal: .atMost(50)),
                .init(
                    name: "served", value: all.map { Double($0.served) }.min() ?? 0,
                    goal: .exactly(Double(waiters))),
                .init(
                    name: "token_requests", value: all.map { Double($0.requests) }.max() ?? 0,
                    goal: .exactly(1)),
                .init(name: "bytes_per_waiter", value: median(\.bytes)),
                .init(name: "bytes_of_task_alone", value: FigureRow.median(tasksAlone)),
            ])
    }

    private func burst() async -> Round {
        let acquirer = HeldAcquirer()
        let coordinator = TokenRefreshCoordinator(acquirer: acquirer)
        let begun = Gate()
        begun.open()
        let before = ProcessUsage.heapKibibytes
        return await withTaskGroup(of: Double?.self) { group in
            for _ in 0..<waiters {
                group.addTask {
                    await begun.pass()
                    guard (try? await coordinator.token())?.generation == 1 else { return nil }
                    return ProcessUsage.now
                }
            }
            await begun.waitForArrivals(waiters)
            await settle()
            var round = Round()
            round.bytes = (ProcessUsage.heapKibibytes - before) * 1024 / Double(waiters)
            acquirer.gate.open()
            var last = 0.0
            for await instant in group {
                guard let instant else { continue }
                round.served += 1
                last = max(last, instant)
            }
            let ended = Double(bitPattern: acquirer.ended.load(ordering: .acquiring))
            round.milliseconds = (last - ended) * 1e3
            round.requests = acquirer.requests.load(ordering: .relaxed)
            return round
        }
    }

    /// What the tasks take by themselves.
    private func bytesOfTasks() async -> Double {
        let gate = Gate()
        let before = ProcessUsage.heapKibibytes
        return await withTaskGroup(of: Void.self) { group in
            for _ in 0..<waiters { group.addTask { await gate.pass() } }
            await gate.waitForArrivals(waiters)
            await settle()
            let bytes = (ProcessUsage.heapKibibytes - before) * 1024 / Double(waiters)
            gate.open()
            await group.waitForAll()
            return bytes
        }
    }

    /// Those who have come stand in line by then.
    private func settle() async { try? await Task.sleep(for: .milliseconds(100)) }
}
