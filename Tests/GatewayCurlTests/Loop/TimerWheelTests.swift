import GatewayTesting
import Testing

@testable import GatewayCurl

@Suite struct TimerWheelTests {
    /// Against a plain dictionary: what expires, and that it expires in time and never early.
    @Test(arguments: 0..<SoakScale.rounds(20))
    func agreesWithAList(seed: Int) {
        var random = SeededGenerator(seed: TestSeed.value(UInt64(seed)))
        var wheel = TimerWheel()
        var model: [Int: UInt64] = [:]
        var now: UInt64 = 0
        for _ in 0..<300 {
            let index = Int.random(in: 0..<40, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let exponent = UInt64.random(in: 0..<30, using: &random)
                let tick = now + UInt64.random(in: 0...(1 << exponent), using: &random)
                wheel.schedule(index, at: tick)
                model[index] = max(tick, now + 1)
            case 2:
                wheel.cancel(index)
                model[index] = nil
            default:
                let next = model.values.min()
                if let next, let announced = wheel.nextTick {
                    #expect(announced <= next && announced > now)
                } else {
                    #expect(next == nil && wheel.nextTick == nil)
                }
                now += UInt64.random(in: 0..<(1 << UInt64.random(in: 1..<28, using: &random)), using: &random)
                var expired: [Int] = []
                wheel.advance(to: now, into: &expired)
                #expect(Set(expired) == Set(model.filter { $0.value <= now }.keys))
                #expect(Set(expired).count == expired.count)
                model = model.filter { $0.value > now }
            }
        }
    }

    @Test func theNextTickIsReachedInFewSteps() {
        var wheel = TimerWheel()
        wheel.schedule(3, at: 123_456_789)
        var steps = 0
        var expired: [Int] = []
        while let tick = wheel.nextTick {
            wheel.advance(to: tick, into: &expired)
            steps += 1
        }
        #expect(expired == [3])
        #expect(steps <= 6)
        #expect(wheel.elapsed == 123_456_789)
    }
}
