import GatewayTesting
import Testing

@testable import GatewayResilience

/// A heap of deadlines, compared with an array that is sorted.
@Suite struct DeadlineHeapTests {
    @Test(arguments: 0..<200 as Range<UInt64>)
    func theEarliestIsFirst(seed: UInt64) {
        let random = SeededRandomSource(seed: seed)
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
