import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayCurl

@Suite struct AdmissionQueueTests {
    private func origin(_ number: Int) -> Origin {
        guard let origin = try? Origin("http://host-\(number)") else { preconditionFailure("not an origin") }
        return origin
    }

    /// Lets a request in: its place, or `nil` if it waits.
    private func enter(
        _ queue: inout AdmissionQueue, _ index: Int, _ number: Int, isReplay: Bool = false
    ) -> Int? {
        if let place = queue.enterNow(origin(number)) { return place }
        let waits = queue.wait(index, origin: origin(number), isReplay: isReplay)
        #expect(waits)
        return nil
    }

    /// Whether nothing that waits may start.
    private func isBusy(_ queue: inout AdmissionQueue) -> Bool { queue.next() == nil }

    /// Lets the first request in: its place.
    private func place(_ queue: inout AdmissionQueue, _ number: Int) throws -> Int {
        let place = queue.enterNow(origin(number))
        return try #require(place)
    }

    /// The order in which those that wait start, one after the other.
    private func order(_ queue: inout AdmissionQueue, after place: Int) -> [Int] {
        var order: [Int] = []
        queue.leave(place)
        while let (index, place) = queue.next() {
            order.append(index)
            queue.leave(place)
        }
        return order
    }

    @Test func firstComeFirstServedWithinAnOrigin() throws {
        var queue = AdmissionQueue(perOrigin: 1, inAll: 10, waitingLimit: 10)
        let held = try place(&queue, 1)
        #expect(enter(&queue, 1, 1) == nil && enter(&queue, 2, 1) == nil)
        #expect(isBusy(&queue))
        #expect(order(&queue, after: held) == [1, 2])
        #expect(queue.activeCount == 0 && queue.waitingCount == 0)
    }

    /// A call whose credential was rejected does not wait behind those that come with the next one.
    @Test func replaysComeFirst() throws {
        var queue = AdmissionQueue(perOrigin: 1, inAll: 1, waitingLimit: 6)
        let held = try place(&queue, 1)
        for index in 1...2 { #expect(enter(&queue, index, 1) == nil) }
        for index in 3...5 { #expect(enter(&queue, index, 1, isReplay: true) == nil) }
        #expect(queue.waitingByOrigin == [origin(1): 5])
        queue.withdraw(4)
        #expect(order(&queue, after: held) == [3, 5, 1, 2])
        #expect(queue.waitingByOrigin.isEmpty && queue.activeCount == 0)
        _ = try place(&queue, 1)
    }

    /// An exchange that goes on without its caller takes a place, also beyond the limits, until it ends.
    @Test func whatGoesOnKeepsItsPlace() throws {
        var queue = AdmissionQueue(perOrigin: 1, inAll: 2, waitingLimit: 9)
        let held = try place(&queue, 1)
        for index in 1...2 { #expect(enter(&queue, index, 1) == nil) }
        let kept = queue.keep(origin(1))
        #expect(queue.activeCount == 2)
        queue.leave(held)
        #expect(isBusy(&queue))
        // The limit in all holds another origin back, too, while there are more than it allows.
        let other = try place(&queue, 2)
        let beyond = queue.keep(origin(2))
        queue.leave(kept)
        #expect(isBusy(&queue))
        queue.leave(other)
        let next = queue.next()
        #expect(next?.index == 1)
        queue.leave(beyond)
        #expect(order(&queue, after: try #require(next).place) == [2])
        #expect(queue.activeCount == 0)
    }

    @Test func originsTakeTurns() throws {
        var queue = AdmissionQueue(perOrigin: 10, inAll: 1, waitingLimit: 100)
        let held = try place(&queue, 0)
        for index in 1...20 { #expect(enter(&queue, index, 1) == nil) }
        for index in 21...23 { #expect(enter(&queue, index, 2) == nil) }
        let started = order(&queue, after: held)
        #expect(started.prefix(7) == [1, 21, 2, 22, 3, 23, 4])
        #expect(started.count == 23)
    }

    @Test func aFullQueueRefuses() throws {
        var queue = AdmissionQueue(perOrigin: 1, inAll: 1, waitingLimit: 1)
        _ = try place(&queue, 0)
        var waits = [queue.wait(1, origin: origin(1)), queue.wait(2, origin: origin(2))]
        queue.withdraw(1)
        waits.append(queue.wait(2, origin: origin(2)))
        #expect(waits == [true, false, true])
    }

    /// A call that is sent again had a place before: it is not refused, and takes no place from another call.
    @Test func aFullQueueTakesReplays() throws {
        var queue = AdmissionQueue(perOrigin: 1, inAll: 1, waitingLimit: 1)
        let held = try place(&queue, 0)
        var waits = [queue.wait(1, origin: origin(0), isReplay: true)]
        waits.append(queue.wait(2, origin: origin(0)))
        waits.append(queue.wait(3, origin: origin(0), isReplay: true))
        waits.append(queue.wait(4, origin: origin(0)))
        queue.withdraw(1)
        waits.append(queue.wait(4, origin: origin(0)))
        #expect(waits == [true, true, true, false, false])
        #expect(order(&queue, after: held) == [3, 2])
        _ = try place(&queue, 0)
        waits = [queue.wait(5, origin: origin(0)), queue.wait(6, origin: origin(0))]
        #expect(waits == [true, false])
    }

    /// Limits hold, nobody is lost, nobody starts twice, replays come first, and nothing waits that could start.
    @Test(arguments: 0..<SoakScale.rounds(10))
    func limitsHoldAndNobodyIsLost(seed: Int) {
        var random = SeededGenerator(seed: TestSeed.value(UInt64(seed)))
        let (perOrigin, inAll) = (
            Int.random(in: 1...3, using: &random), Int.random(in: 1...6, using: &random)
        )
        var queue = AdmissionQueue(perOrigin: perOrigin, inAll: inAll, waitingLimit: 8)
        /// The origins and places of those that are active, by index; exchanges that go on without their caller, too.
        var active: [Int: (number: Int, place: Int)] = [:]
        var kept: [(number: Int, place: Int)] = []
        var waiting: [Int: Int] = [:]
        var replays: Set<Int> = []
        var free = Set(0..<20)
        /// Those that the limit concerns.
        var bounded: Int { waiting.keys.count { !replays.contains($0) } }
        func count(_ number: Int) -> Int {
            active.values.count { $0.number == number } + kept.count { $0.number == number }
        }
        func check() {
            #expect(active.count + kept.count == queue.activeCount)
            #expect(waiting.count == queue.waitingCount && bounded <= 8)
            #expect(queue.waitingByOrigin.values.reduce(0, +) == waiting.count)
            // Nothing waits that could start.
            guard queue.activeCount < inAll else { return }
            for number in waiting.values { #expect(count(number) >= perOrigin) }
        }
        func startWaiting() {
            while let (index, place) = queue.next() {
                guard let number = waiting.removeValue(forKey: index) else {
                    Issue.record("\(index) did not wait")
                    return
                }
                #expect(queue.activeCount <= inAll && count(number) < perOrigin)
                let hasReplay = waiting.contains { $1 == number && replays.contains($0) }
                #expect(replays.contains(index) || !hasReplay)
                active[index] = (number, place)
            }
        }
        for _ in 0..<500 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                guard let index = free.randomElement(using: &random) else { continue }
                let number = Int.random(in: 0..<5, using: &random)
                if let place = queue.enterNow(origin(number)) {
                    #expect(queue.activeCount <= inAll && count(number) < perOrigin)
                    active[index] = (number, place)
                } else {
                    let isReplay = Bool.random(using: &random)
                    guard queue.wait(index, origin: origin(number), isReplay: isReplay) else {
                        #expect(bounded == 8 && !isReplay)
                        continue
                    }
                    waiting[index] = number
                    if isReplay { replays.insert(index) } else { replays.remove(index) }
                }
                free.remove(index)
            case 2:
                guard let index = active.keys.randomElement(using: &random),
                    let (number, place) = active.removeValue(forKey: index)
                else { continue }
                // Some exchanges go on without their callers.
                if Int.random(in: 0..<4, using: &random) == 0 {
                    kept.append((number, queue.keep(origin(number))))
                }
                queue.leave(place)
                free.insert(index)
                startWaiting()
            case 3:
                guard let index = kept.indices.randomElement(using: &random) else { continue }
                queue.leave(kept.remove(at: index).place)
                startWaiting()
            default:
                guard let index = waiting.keys.randomElement(using: &random) else { continue }
                queue.withdraw(index)
                waiting[index] = nil
                free.insert(index)
            }
            check()
        }
    }

    @Test func unusedOriginsAreForgotten() throws {
        var queue = AdmissionQueue(perOrigin: 1, inAll: 1, waitingLimit: 1)
        for number in 0..<5_000 {
            queue.leave(try place(&queue, number))
        }
        #expect(queue.originCount <= 257)
    }
}
