import CSQLite
import Foundation
import GatewayCore
import GatewayQueueTesting
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayOfflineQueue

/// What a loss of power leaves: the file and its journal as they would be at every point of a run, with any of the writes
/// that were not synced missing or torn.
@Suite(.timeLimit(.minutes(30))) struct CrashImageTests {
    /// A file on a disk.
    private struct Disk {
        /// What is on the disk for certain.
        private(set) var content: [UInt8]? = []
        /// What may be on it.
        private var pending: [FaultFileSystem.Step] = []

        mutating func apply(_ step: FaultFileSystem.Step) {
            switch step {
            case .sync:
                for step in pending { Self.write(step, to: &content, random: nil) }
                pending = []
            // The system drops what it could not write, and thinks that it is written.
            case .failedSync: pending = []
            default: pending.append(step)
            }
        }

        /// The file after a crash.
        func image(_ random: SeededRandomSource) -> [UInt8]? {
            var image = content
            for step in pending where random.int(in: 0..<4) > 0 {
                let sectors = random.int(in: 0..<3) == 0 ? random.int(in: 0..<1 << 30) : nil
                Self.write(step, to: &image, random: sectors)
            }
            return image
        }

        /// - Parameter random: which sectors of the write are there; `nil` for all.
        private static func write(_ step: FaultFileSystem.Step, to image: inout [UInt8]?, random: Int?) {
            switch step {
            case .write(_, let offset, let bytes):
                var grown = image ?? []
                var start = 0
                while start < bytes.count {
                    let end = min(bytes.count, (offset + start) / 512 * 512 + 512 - offset)
                    let isThere = random.map { SplitMix64.scatter(UInt64($0 + start)) % 2 == 0 } ?? true
                    if isThere {
                        if grown.count < offset + end {
                            grown += [UInt8](repeating: 0, count: offset + end - grown.count)
                        }
                        grown.replaceSubrange(offset + start..<offset + end, with: bytes[start..<end])
                    }
                    start = end
                }
                image = grown
            case .truncate(_, let size):
                let old = image ?? []
                image =
                    old.count > size
                    ? Array(old[..<size]) : old + [UInt8](repeating: 0, count: size - old.count)
            case .delete: image = nil
            default: break
            }
        }
    }

    /// What a queue has: its entries, and the bodies that were given to it.
    private struct Contents: Equatable {
        var entries: [QueueEntry] = []

        init() {}
        init(_ store: SQLiteQueueStore) throws { entries = try store.entries(QueueSelection()) }
    }

    private struct Run {
        var steps: [FaultFileSystem.Step] = []
        /// What the queue has after each operation, and whether it was acknowledged.
        var contents: [(contents: Contents, isAcknowledged: Bool)] = [(Contents(), true)]
        var bodies: [QueueEntry.ID: [UInt8]] = [:]
        var failures = 0
    }

    private func run(_ source: SeededRandomSource, transactions: Int, hasFaults: Bool) throws -> Run {
        let system = try #require(FaultFileSystem())
        let directory = QueueDirectory()
        let store = SQLiteQueueStore(path: directory.file, fileSystem: system.name)
        func random(_ bound: Int) -> Int { source.int(in: 0..<bound) }
        var run = Run()
        var leases: [QueueLease] = []
        system.record()
        for number in 0..<transactions {
            let now = QueueTime.at(Int64(number))
            // The third one fails whatever the seed is.
            if hasFaults, number == 2 || random(6) == 0 {
                system.fail(
                    [.sync, .write, .truncate][random(3)], after: number == 2 ? 0 : random(5),
                    code: SQLITE_IOERR | Int32(3 + random(4)) << 8)
            }
            var isAcknowledged = true
            do throws(QueueError) {
                switch random(5) {
                case 0..<3:
                    var items: [QueueItem] = []
                    for index in 0...random(3) {
                        let size = random(8) == 0 ? 20_000 : 10 + random(600)
                        guard
                            let item = try? QueueItem.sample(
                                "\(number)-\(index)-" + String(repeating: "x", count: size), at: now)
                        else { continue }
                        items.append(item)
                    }
                    let results = try store.insert(items, limits: QueueLimits(), now: now)
                    for (item, result) in zip(items, results) {
                        if case .stored(let id, _, _) = result { run.bodies[id] = item.body }
                    }
                case 3: leases += try store.lease(2, at: now)
                default:
                    let ended = leases.map { QueueCompletion($0, random(2) == 0 ? .done : .released) }
                    leases = []
                    _ = try store.finish(ended, now: now)
                }
            } catch { isAcknowledged = false }
            for operation in FaultFileSystem.Operation.allCases { system.fail(operation, after: 0, times: 0) }
            run.contents.append((try Contents(store), isAcknowledged))
            system.mark(run.contents.count - 1)
        }
        run.steps = system.steps
        run.failures = system.failures
        return run
    }

    /// queue.durable-ticket
    @Test(.long("opens an image of the file for each write of a run"), arguments: [false, true])
    func noAcknowledgedRowIsMissingOrTorn(hasFaults: Bool) throws {
        let random = SeededRandomSource(seed: TestSeed.value(hasFaults ? 7 : 3))
        // Fewer may have no fault.
        let transactions = max(10, SoakScale.rounds(10))
        let run = try run(random, transactions: transactions, hasFaults: hasFaults)
        var (database, journal) = (Disk(), Disk())
        var (last, opened) = (0, 0)
        for (index, step) in run.steps.enumerated() {
            switch step {
            case .mark(let number):
                if run.contents[number].isAcknowledged { last = number }
                continue
            case .write(true, _, _), .truncate(true, _), .sync(true), .failedSync(true), .delete(true):
                journal.apply(step)
            default: database.apply(step)
            }
            let next = run.steps[index...].lazy.compactMap {
                if case .mark(let number) = $0 { number } else { nil }
            }.first
            let directory = QueueDirectory()
            try Data(database.image(random) ?? []).write(to: URL(fileURLWithPath: directory.file))
            if let image = journal.image(random) {
                try Data(image).write(to: URL(fileURLWithPath: directory.file + "-journal"))
            }
            let store = SQLiteQueueStore(path: directory.file)
            let found = try Contents(store)
            let allowed = run.contents[last...(next ?? run.contents.count - 1)]
            #expect(allowed.contains { $0.contents == found }, "step \(index) of \(run.steps.count)")
            opened += 1
            // Whole bodies.
            guard index % 5 == 0 else { continue }
            let waiting = found.entries.filter { $0.state == .waiting }
            let leases = try store.lease(waiting.count, at: .at(80_000))
            #expect(leases.count == waiting.count, "step \(index)")
            for lease in leases {
                if let body = run.bodies[lease.id] { #expect(lease.item.body == body, "step \(index)") }
            }
        }
        #expect(opened >= transactions * 3)
        #expect(!hasFaults || run.failures > 0)
    }
}
