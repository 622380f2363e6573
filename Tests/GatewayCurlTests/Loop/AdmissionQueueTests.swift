import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayCurl

@Suite struct AdmissionQueueTests {
    private func origin(_ number: Int) -> Origin {
        guard let origin = try? Origin("http://host-\(number)") else { preconditionFailure("not an origin") }
        return origin
    }

    @Test func firstComeFirstServedWithinAnOrigin() {
        var queue = AdmissionQueue(perOrigin: 1, inAll: 10, waitingLimit: 10)
        #expect(queue.enter(0, origin: origin(1)) == .start)
        #expect(queue.enter(1, origin: origin(1)) == .wait)
        #expect(queue.enter(2, origin: origin(1)) == .wait)
        #expect(queue.next() == nil)
        queue.leave(0)
        #expect(queue.next() == 1)
        #expect(queue.next() == nil)
        queue.leave(1)
        #expect(queue.next() == 2)
    }

    /// What was given back comes before what has only waited, in the order of its return, and is never refused.
    @Test func whatReturnsComesFirst() {
        var queue = AdmissionQueue(perOrigin: 1, inAll: 1, waitingLimit: 2)
        #expect(queue.enter(0, origin: origin(1)) == .start)
        #expect(queue.enter(1, origin: origin(1)) == .wait)
        #expect(queue.enter(2, origin: origin(1)) == .wait)
        #expect(queue.enter(3, origin: origin(1)) == .refuse)
        for index in 4...6 { #expect(queue.enter(index, origin: origin(1), isReturning: true) == .wait) }
        #expect(queue.statistics.all.waiting == 5 && queue.statistics.all.active == 1)
        queue.withdraw(5)
        var order: [Int] = []
        queue.leave(0)
        while let index = queue.next() {
            order.append(index)
            queue.leave(index)
        }
        #expect(order == [4, 6, 1, 2])
        #expect(queue.statistics == TransportStatistics() && queue.waitingCount == 0)
        #expect(queue.enter(7, origin: origin(1), isReturning: true) == .start)
    }

    /// The place of what was given back is kept for its return, for nobody else, until reservations are released.
    @Test func placesAreReservedForWhatIsGivenBack() {
        var queue = AdmissionQueue(perOrigin: 1, inAll: 2, waitingLimit: 9)
        #expect(queue.enter(0, origin: origin(1)) == .start)
        for index in 1...3 { #expect(queue.enter(index, origin: origin(1)) == .wait) }
        queue.leave(0)
        #expect(queue.next() == 1)
        queue.giveBack(1)
        #expect(queue.next() == nil && queue.reservedCount == 1 && queue.activeCount == 0)
        #expect(queue.enter(4, origin: origin(2)) == .start)
        #expect(queue.enter(5, origin: origin(3)) == .wait)
        #expect(queue.enter(6, origin: origin(1), isReturning: true) == .start)
        #expect(queue.reservedCount == 0 && queue.activeCount == 2)

        queue.leave(6)
        #expect(queue.next() == 5)
        queue.leave(5)
        #expect(queue.next() == 2)
        queue.giveBack(2)
        #expect(queue.next() == nil)
        queue.releaseReservations()
        #expect(queue.next() == 3)
        #expect(queue.enter(7, origin: origin(1), isReturning: true) == .wait)
        queue.leave(3)
        #expect(queue.next() == 7)
    }

    @Test func originsTakeTurns() {
        var queue = AdmissionQueue(perOrigin: 10, inAll: 1, waitingLimit: 100)
        #expect(queue.enter(0, origin: origin(0)) == .start)
        for index in 1...20 { _ = queue.enter(index, origin: origin(1)) }
        for index in 21...23 { _ = queue.enter(index, origin: origin(2)) }
        var order: [Int] = []
        queue.leave(0)
        while let index = queue.next() {
            order.append(index)
            queue.leave(index)
        }
        #expect(order.prefix(7) == [1, 21, 2, 22, 3, 23, 4])
        #expect(order.count == 23)
    }

    @Test func aFullQueueRefuses() {
        var queue = AdmissionQueue(perOrigin: 1, inAll: 1, waitingLimit: 1)
        #expect(queue.enter(0, origin: origin(0)) == .start)
        #expect(queue.enter(1, origin: origin(1)) == .wait)
        #expect(queue.enter(2, origin: origin(2)) == .refuse)
        queue.withdraw(1)
        #expect(queue.enter(2, origin: origin(2)) == .wait)
    }

    /// Limits hold, nobody is lost, nobody starts twice, nothing waits that could start, and in the end nothing
    /// is held.
    @Test(arguments: 0..<SoakScale.rounds(10))
    func limitsHoldAndNobodyIsLost(seed: Int) {
        var random = SeededGenerator(seed: TestSeed.value(UInt64(seed)))
        let (perOrigin, inAll) = (
            Int.random(in: 1...3, using: &random), Int.random(in: 1...6, using: &random)
        )
        var queue = AdmissionQueue(perOrigin: perOrigin, inAll: inAll, waitingLimit: 8)
        var active: [Int: Int] = [:]
        var waiting: [Int: Int] = [:]
        var free = Set(0..<20)
        func check() {
            #expect(active.count == queue.activeCount && active.count <= inAll)
            #expect(waiting.count == queue.waitingCount && waiting.count <= 8)
            for number in 0..<5 { #expect(active.values.count(where: { $0 == number }) <= perOrigin) }
        }
        func startWaiting() {
            while let index = queue.next() {
                guard let origin = waiting.removeValue(forKey: index) else {
                    Issue.record("\(index) did not wait")
                    return
                }
                active[index] = origin
            }
            if active.count < inAll {
                for number in waiting.values {
                    #expect(active.values.count(where: { $0 == number }) == perOrigin)
                }
            }
        }
        for _ in 0..<500 {
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                guard let index = free.randomElement(using: &random) else { continue }
                let number = Int.random(in: 0..<5, using: &random)
                switch queue.enter(index, origin: origin(number)) {
                case .start: active[index] = number
                case .wait: waiting[index] = number
                case .refuse:
                    #expect(waiting.count == 8)
                    continue
                }
                free.remove(index)
            case 1:
                guard let index = active.keys.randomElement(using: &random) else { continue }
                queue.leave(index)
                active[index] = nil
                free.insert(index)
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

    @Test func unusedOriginsAreForgotten() {
        var queue = AdmissionQueue(perOrigin: 1, inAll: 1, waitingLimit: 1)
        for number in 0..<5_000 {
            #expect(queue.enter(0, origin: origin(number)) == .start)
            queue.leave(0)
        }
        #expect(queue.originCount <= 257)
    }
}
