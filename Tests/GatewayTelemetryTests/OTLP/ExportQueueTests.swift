import GatewayTesting
import Testing

@testable import GatewayTelemetry

@Suite struct ExportQueueTests {
    private typealias Queue = ExportQueue<Int>

    @Test func aFullBatchIsSentAtOnce() {
        var queue = Queue(capacity: 10, batchLimit: 3)
        #expect(queue.add(1) == .setAlarm && queue.add(2) == .nothing && queue.add(3) == .export)
        #expect(queue.add(4) == .nothing)
        #expect(queue.next().batch == [1, 2, 3])
        queue.end(.taken(rejected: 1))
        // The alarm is still set.
        let (batch, action) = queue.next()
        #expect(batch == nil && action == .nothing && queue.remaining == 1)
        #expect(queue.ring() == .export && queue.next().batch == [4])
        queue.end(.lost(.status(400)))
        #expect(queue.next().action == .nothing && queue.ring() == .nothing)
        let counts = queue.counts
        #expect(counts.ended == 4 && counts.exported == 2 && counts.rejected == 1 && counts.failed == 1)
        #expect(counts.lastFailure == "400" && queue.remaining == 0)
    }

    @Test func whatIsDueIsSentInBatches() {
        var queue = Queue(capacity: 10, batchLimit: 2)
        #expect(queue.add(1) == .setAlarm && queue.add(2) == .export)
        for record in 3...5 { #expect(queue.add(record) == .nothing) }
        #expect(queue.makeDue() == .nothing)
        #expect(queue.next().batch == [1, 2] && queue.next().batch == [3, 4] && queue.next().batch == [5])
        #expect(queue.next().batch == nil && queue.makeDue() == .nothing)
    }

    @Test func theCollectorRejectsAtMostWhatItGot() {
        var queue = Queue(capacity: 1, batchLimit: 5)
        #expect(queue.add(1) == .setAlarm && queue.add(2) == .nothing && queue.makeDue() == .export)
        _ = queue.next()
        queue.end(.taken(rejected: .max))
        #expect(queue.counts.rejected == 1 && queue.counts.exported == 0 && queue.counts.dropped == 1)
    }

    /// A record that has what those before it have replaces the one that waits, and none is lost.
    @Test func aLaterSumReplacesTheOneThatWaits() {
        var queue = Queue(capacity: 1, batchLimit: 1, keepsLatest: true)
        #expect(queue.add(1) == .export && queue.next().batch == [1])
        for record in 2...200 { #expect(queue.add(record) == .nothing) }
        queue.end(.taken(rejected: 0))
        #expect(queue.next().batch == [200])
        queue.end(.taken(rejected: 0))
        #expect(queue.counts.ended == 2 && queue.counts.exported == 2 && queue.counts.dropped == 0)
    }

    @Test func recordsThatWaitAreBoundedInBytes() {
        var queue = ExportQueue<Int>(capacity: 100, batchLimit: 100, byteLimit: 10, size: { $0 })
        for size in [4, 6, 1, 11] { _ = queue.add(size) }
        #expect(queue.counts.dropped == 2 && queue.makeDue() == .export)
        #expect(queue.next().batch == [4, 6])
        queue.end(.taken(rejected: 0))
        #expect(queue.next().batch == nil && queue.add(10) == .nothing && queue.makeDue() == .export)
        #expect(queue.next().batch == [10])
    }

    /// In any order: one export at a time, and each record has one outcome.
    @Test func recordsAreConserved() {
        let random = SeededRandomSource(seed: TestSeed.value(11))
        var queue = Queue(capacity: 7, batchLimit: 3)
        var (isExporting, hasAlarm, isSending) = (false, false, false)
        func apply(_ action: Queue.Action) {
            switch action {
            case .nothing: break
            case .setAlarm:
                #expect(!hasAlarm)
                hasAlarm = true
            case .export:
                #expect(!isExporting)
                isExporting = true
            }
        }
        for record in 0..<10_000 {
            switch random.int(in: 0..<6) {
            case 0, 1, 2: apply(queue.add(record))
            case 3 where hasAlarm:
                hasAlarm = false
                apply(queue.ring())
            case 4: apply(queue.makeDue())
            default:
                guard isExporting else { break }
                if isSending {
                    queue.end(random.int(in: 0..<2) == 0 ? .taken(rejected: 1) : .lost(.malformed))
                    isSending = false
                }
                let (batch, action) = queue.next()
                if let batch {
                    #expect(!batch.isEmpty && batch.count <= 3)
                    isSending = true
                } else {
                    isExporting = false
                    apply(action)
                }
            }
            let counts = queue.counts
            #expect(
                counts.ended == counts.exported + counts.rejected + counts.failed + counts.dropped
                    + queue.remaining)
            // Whatever waits is on its way.
            #expect(queue.remaining == 0 || isExporting || hasAlarm)
        }
    }
}
