import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayCurl

@Suite struct StreamUploadStateMachineTests {
    /// Every byte arrives once and in order, the window holds, each waiter is woken, in 500 interleavings, times the soak's
    /// scale.
    @Test func everyByteOnceAndInOrder() {
        let first = TestSeed.value(0)
        for seed in (0..<UInt64(SoakScale.rounds(500))).lazy.map({ first &+ $0 }) {
            var random = SeededGenerator(seed: seed)
            let total = Int.random(in: 0...60, using: &random)
            let known = Bool.random(using: &random)
            var machine = StreamUploadStateMachine<Int>(
                length: known ? Int64(total) : nil, highWater: 16, lowWater: 4)
            var produced = 0
            var received: [UInt8] = []
            var mayProduce = false
            var hasAskedForDemand = false
            var isLoopPaused = false
            var hasEnded = false
            var isOver = false
            var steps = 0
            while !isOver, steps < 10_000 {
                steps += 1
                if Bool.random(using: &random) {
                    if !hasAskedForDemand {
                        hasAskedForDemand = true
                        if case .proceed = machine.awaitDemand(1) { mayProduce = true }
                    } else if mayProduce, !hasEnded {
                        if produced == total {
                            hasEnded = true
                            if machine.end(nil) { isLoopPaused = false }
                            continue
                        }
                        let count = min(Int.random(in: 1...9, using: &random), total - produced)
                        let chunk = (produced..<(produced + count)).map { UInt8($0) }
                        produced += count
                        let (wakes, tooLong) = machine.produce(chunk[...])
                        #expect(!tooLong)
                        if wakes { isLoopPaused = false }
                        if case .suspended = machine.awaitRoom(1) { mayProduce = false }
                        #expect(produced - received.count < 16 + 9)
                    }
                } else if !isLoopPaused {
                    let (action, waiter) = machine.read(atMost: Int.random(in: 1...7, using: &random))
                    if waiter != nil { mayProduce = true }
                    switch action {
                    case .copy(let part): received += part
                    case .pause: isLoopPaused = true
                    case .end: isOver = true
                    case .fail(let error):
                        Issue.record("seed \(seed): \(error)")
                        return
                    }
                }
            }
            guard isOver, received == (0..<total).map({ UInt8($0) }) else {
                Issue.record("seed \(seed): \(received.count) of \(total) bytes after \(steps) steps")
                return
            }
        }
    }

    @Test func closingWakesWhoeverWaits() {
        var waitsForDemand = StreamUploadStateMachine<Int>(length: nil)
        guard case .suspended = waitsForDemand.awaitDemand(1) else { return #expect(Bool(false)) }
        #expect(waitsForDemand.close() == 1)
        #expect(waitsForDemand.close() == nil)

        var waitsForRoom = StreamUploadStateMachine<Int>(length: nil, highWater: 1, lowWater: 0)
        _ = waitsForRoom.read(atMost: 1)
        _ = waitsForRoom.produce([1, 2])
        guard case .suspended = waitsForRoom.awaitRoom(2) else { return #expect(Bool(false)) }
        #expect(waitsForRoom.close() == 2)
        guard case .stop = waitsForRoom.awaitRoom(3) else { return #expect(Bool(false)) }
    }

    @Test func theAnnouncedLengthIsHeld() {
        var short = StreamUploadStateMachine<Int>(length: 5)
        _ = short.produce([1, 2])
        _ = short.end(nil)
        guard case (.fail(let error), _) = short.read(atMost: 9) else { return #expect(Bool(false)) }
        #expect(error.code == .bodyFailed)

        var long = StreamUploadStateMachine<Int>(length: 1)
        #expect(long.produce([1, 2]).tooLong)
    }
}
