import CSQLite
import Foundation
import GatewayCore
import GatewaySQLite
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayOfflineQueue

/// Processes that are killed at any moment: what had a ticket takes effect exactly once.
@Suite(.timeLimit(.minutes(30)), .long("starts and kills processes")) struct KilledQueueTests {
    /// queue.exactly-once-by-key, queue.order-per-key, queue.expired-never-sent, queue.cancel-once, queue.durable-ticket
    @Test func eachTicketTakesEffectExactlyOnceOverKills() async throws {
        let rounds = SoakScale.rounds(10)
        let directory = QueueDirectory()
        let server = try EffectServer(seed: TestSeed.value(7))
        defer { server.stop() }
        let random = SeededRandomSource(seed: TestSeed.value(11))
        var printed: [String] = []
        for round in 0..<rounds {
            let worker = try QueueWorker(
                file: directory.file, origin: server.origin, name: "r\(round)", count: 40)
            let last = random.int(in: 0..<40)
            await worker.read { $0.hasPrefix("stored r\(round)-\(last) ") }
            await worker.kill()
            printed += worker.lines
        }
        try await finish(directory, server)
        check(printed, try SQLiteQueueStore(path: directory.file).entries(QueueSelection()), server.current)
    }

    /// queue.one-owner, queue.exactly-once-by-key
    @Test func twoProcessesShareAFileWhileOneIsKilledAgainAndAgain() async throws {
        let count = SoakScale.rounds(400)
        let directory = QueueDirectory()
        let server = try EffectServer(seed: TestSeed.value(3))
        defer { server.stop() }
        let lasting = try QueueWorker(
            file: directory.file, origin: server.origin, name: "lasting", count: count / 2)
        var printed: [String] = []
        // Half of the entries, of processes that are killed at any moment.
        let random = SeededRandomSource(seed: TestSeed.value(13))
        var round = 0
        while printed.count(where: { $0.hasPrefix("stored ") }) < count / 2 {
            let killed = try QueueWorker(
                file: directory.file, origin: server.origin, name: "killed\(round)", count: count / 10)
            let last = random.int(in: count / 20..<count / 10)
            await killed.read { $0.hasPrefix("stored killed\(round)-\(last) ") }
            await killed.kill()
            printed += killed.lines
            round += 1
        }
        await lasting.read { $0 == "all stored" }
        await lasting.end()
        printed += lasting.lines
        #expect(lasting.lines.last == "ended 0")
        check(printed, try SQLiteQueueStore(path: directory.file).entries(QueueSelection()), server.current)
    }

    /// queue.live-owner-keeps, queue.one-owner
    @Test func theEntriesOfAKilledOwnerAreTakenOverAndThoseOfASlowOneAreNot() async throws {
        _ = try await takeovers(1)
    }

    /// queue.one-owner: the limit of the product.
    @Test(.realTime("takes the entries of a killed owner over within a second"))
    func aTakeoverTakesLessThanASecond() async throws {
        let takeover = try await takeovers(30).max() ?? .zero
        print("takeover: \(takeover) at most")
        #expect(takeover < .seconds(1))
    }

    /// Kills owners one after the other, beside one that lives and one that stands still.
    ///
    /// - Returns: how long it took until another process sent the entry of each.
    private func takeovers(_ rounds: Int) async throws -> [Duration] {
        let directory = QueueDirectory()
        let server = try EffectServer(seed: 5, failures: 0)
        defer { server.stop() }
        server.hold("slow-0")
        let slow = try QueueWorker(file: directory.file, origin: server.origin, name: "slow", count: 1)
        await slow.read { $0 == "all stored" }
        await server.waitForArrivals(of: "slow-0")
        try stop(slow, outsideOfTransactionsOf: directory.file)
        var takeovers: [Duration] = []
        for round in 0..<rounds {
            server.hold("dead\(round)-0")
            // It does not look for entries of others: it would keep the next one behind its own, which is held back.
            let dead = try QueueWorker(
                file: directory.file, origin: server.origin, name: "dead\(round)", count: 1,
                interval: .seconds(3_600))
            // It is the one that sends: the slow one stands still, and there is no other yet.
            await server.waitForArrivals(of: "dead\(round)-0")
            let other = try QueueWorker(
                file: directory.file, origin: server.origin, name: "other\(round)", count: 1)
            await server.waitForArrivals(of: "other\(round)-0")
            #expect(server.current.arrivals["dead\(round)-0"] == 1)
            let killed = ContinuousClock.now
            await dead.kill()
            await server.waitForArrivals(of: "dead\(round)-0", 2)
            takeovers.append(ContinuousClock.now - killed)
            await other.end()
        }
        #expect(server.current.arrivals["slow-0"] == 1)
        // It is slow, and goes on where it was.
        slow.signal(SIGCONT)
        server.gate.open()
        await slow.end()
        let state = server.current
        let names = ["slow-0"] + (0..<rounds).flatMap { ["other\($0)-0", "dead\($0)-0"] }
        #expect(state.effects == Dictionary(uniqueKeysWithValues: names.map { ($0, 1) }))
        #expect(state.arrivals["slow-0"] == 1)
        return takeovers
    }

    /// Stops a process while it does not lock the file, to read either: one that is stopped there holds up all others.
    private func stop(_ worker: QueueWorker, outsideOfTransactionsOf file: String) throws {
        while true {
            worker.stop()
            do throws(SQLiteError) {
                let connection = try SQLiteConnection(
                    path: file, isReadOnly: false, busyTimeout: .milliseconds(100))
                try connection.execute("BEGIN EXCLUSIVE; ROLLBACK")
                return
            } catch  where error.primary == SQLITE_BUSY {
                worker.signal(SIGCONT)
            }
        }
    }

    /// Sends what is left.
    private func finish(_ directory: QueueDirectory, _ server: EffectServer) async throws {
        let worker = try QueueWorker(file: directory.file, origin: server.origin, name: "last", count: 0)
        await worker.read { $0 == "all stored" }
        await worker.end()
        #expect(worker.lines.last == "ended 0")
    }

    private func check(_ lines: [String], _ entries: [QueueEntry], _ state: EffectServer.State) {
        let names = Dictionary(
            uniqueKeysWithValues: entries.map { (String($0.path.dropFirst("/effects/".count)), $0) })
        var stored = 0
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            guard words.count >= 2, words[0] == "stored" || words[0] == "cancelled" else { continue }
            let entry = names[words[1]]
            stored += 1
            // What had a ticket is there, and has ended.
            #expect(entry?.state.isFinal == true, "\(line): \(entry?.state.description ?? "lost")")
        }
        #expect(stored > 0)
        for (name, entry) in names {
            let effects = state.effects[name, default: 0]
            switch entry.state {
            case .done: #expect(effects == 1, "\(name) took effect \(effects) times")
            default:
                #expect(effects <= 1, "\(name) took effect \(effects) times")
                if entry.attempts == 0 { #expect(state.arrivals[name] == nil, "\(name) was sent") }
            }
        }
        #expect(Set(state.effects.keys).isSubset(of: names.keys))
        // Those of a key took effect in their order.
        var lasts: [String: Int] = [:]
        for name in state.order {
            let parts = name.split(separator: "-")
            guard parts.count == 2, let number = Int(parts[1]), number % 2 == 0 else { continue }
            let key = "\(parts[0])-\(number % 8)"
            #expect(lasts[key, default: -1] < number, "\(name) came after \(lasts[key] ?? -1)")
            lasts[key] = number
        }
    }
}
