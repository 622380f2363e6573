import GatewayTesting
import Testing

@testable import GatewayResilience

/// A heap of deadlines, compared with an array that is sorted.
@Suite struct DeadlineHeapTests {
    @Test func theEarliestIsFirst() {
        let random = SeededRandomSource(seed: TestSeed.value(0))
        for _ in 0..<SoakScale.rounds(20) { run(random) }
    }

    private func run(_ random: SeededRandomSource) {
        let start = ContinuousClock.now
        var heap = DeadlineHeap()
        var positions: [Int] = []
        var entries: [DeadlineHeap.Entry] = []
        for serial in 0..<200 as Range<UInt64> {
            if random.int(in: 0..<5) < 3 || entries.isEmpty {
                let deadline = start + .seconds(random.int(in: 0..<40))
                let entry = DeadlineHeap.Entry(deadline: deadline, serial: serial, slot: Int(serial))
                heap.insert(entry, &positions)
                entries.append(entry)
            } else {
                let entry = entries.remove(at: random.int(in: 0..<entries.count))
                heap.remove(entry.slot, &positions)
            }
            entries.sort { $0 < $1 }
            #expect(heap.first?.serial == entries.first?.serial)
        }
        while let first = heap.first {
            #expect(first.serial == entries.removeFirst().serial)
            heap.remove(first.slot, &positions)
        }
        #expect(entries.isEmpty)
    }
}
