import GatewayCore
import TestTiers
import Testing

/// What bulkheads, rate gates, circuit breakers and broadcasts deliver.
@Suite(.tags(.concurrent)) struct DeliveryQueueTests {
    @Test func oneDeliversUntilNothingIsLeft() {
        var queue = DeliveryQueue<Int>()
        var steps = [queue.add([]), queue.add([1, 2]), queue.add([3])]
        var items = [queue.next()]
        // While they are delivered, another thread adds one.
        steps.append(queue.add([4]))
        items += [queue.next(), queue.next()]
        steps.append(queue.add([5]))
        #expect(steps == [false, true, false, false, true])
        #expect(items == [[1, 2, 3], [4], []])
    }

    /// Each thread delivers in the order in which items were added, by any thread.
    @Test func theOrderIsThatOfTheLock() async {
        struct Shared {
            var queue = DeliveryQueue<Int>()
            var count = 0
        }
        final class Recorder: Sendable {
            let shared = Locked(Shared())
            let delivered = Locked<[Int]>([])

            func add() {
                let delivers = shared.withLock { shared in
                    shared.count += 1
                    return shared.queue.add([shared.count])
                }
                guard delivers else { return }
                while true {
                    let items = shared.withLock { $0.queue.next() }
                    if items.isEmpty { return }
                    delivered.withLock { $0 += items }
                }
            }
        }
        let recorder = Recorder()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { for _ in 0..<500 { recorder.add() } } }
        }
        #expect(recorder.delivered.withLock { $0 } == Array(1...4_000))
    }
}
