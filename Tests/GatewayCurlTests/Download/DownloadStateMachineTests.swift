import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayCurl

@Suite struct DownloadStateMachineTests {
    private typealias Machine = DownloadStateMachine<Int>

    private func receive(_ count: Int, _ machine: inout Machine) -> DownloadReception {
        [UInt8](repeating: 7, count: count).withUnsafeBytes { machine.receive($0) }
    }

    @Test func theWindowIsNeverExceededButByOnePiece() {
        var machine = Machine(window: 100)
        guard case .stored(wakes: false) = receive(60, &machine), case .pause = receive(41, &machine),
            case .stored(wakes: false) = receive(40, &machine), case .pause = receive(1, &machine)
        else {
            Issue.record("the window is wrong")
            return
        }
        #expect(machine.bufferedCount == 100)
        guard case .deliver(.bytes(let bytes), unpauses: true) = machine.next(1) else {
            Issue.record("what is there is to be had")
            return
        }
        #expect(bytes.count == 100)
        guard case .stored = receive(1000, &machine) else {
            Issue.record("a piece larger than the window is taken by an empty one")
            return
        }
    }

    @Test func aReaderWhoWaitsIsNotedOnceATurn() {
        var machine = Machine(window: 100)
        guard case .wait = machine.next(5) else { return #expect(Bool(false)) }
        guard case .stored(wakes: true) = receive(10, &machine),
            case .stored(wakes: false) = receive(10, &machine)
        else { return #expect(Bool(false)) }
        guard case (5, .bytes(let bytes), false)? = machine.deliver() else { return #expect(Bool(false)) }
        #expect(bytes.count == 20)
        let again = machine.deliver()
        #expect(again == nil)
    }

    @Test func theErrorComesAfterTheBytes() {
        var machine = Machine(window: 100)
        _ = receive(10, &machine)
        let ended = (machine.end(NetworkError(.truncated, "")), machine.end(nil))
        #expect(ended == (false, false))
        guard case .deliver(.bytes, unpauses: false) = machine.next(1),
            case .deliver(.failure(let error), unpauses: false) = machine.next(1),
            case .deliver(.end, unpauses: false) = machine.next(1)
        else { return #expect(Bool(false)) }
        #expect(error.code == .truncated)
    }

    @Test func givingUpBeforeWaitingWhileWaitingAndAfterTheEnd() {
        var early = Machine(window: 100)
        let first = early.giveUp()
        #expect(first == (nil, true))
        guard case .cancelled = early.next(1), case .discard = receive(1, &early) else {
            return #expect(Bool(false))
        }
        let second = early.giveUp()
        #expect(second == (nil, false))

        var waiting = Machine(window: 100)
        _ = waiting.next(9)
        let given = waiting.giveUp()
        #expect(given == (9, true))
        let (wakes, delivery) = (waiting.end(nil), waiting.deliver())
        #expect(!wakes && delivery == nil)

        var late = Machine(window: 100)
        _ = late.end(nil)
        let third = late.giveUp()
        #expect(third == (nil, false))
    }

    /// Whatever races, each waiter is resumed once, and the bytes come in order and complete.
    @Test(arguments: 0..<20)
    func randomInterleavings(seed: UInt64) {
        var random = SeededGenerator(seed: TestSeed.value(seed))
        for _ in 0..<SoakScale.rounds(500) {
            var machine = Machine(window: Int.random(in: 1...50, using: &random))
            var waiting: Int?
            var (sent, got, waiters, resumed) = (0, 0, 0, 0)
            var isPaused = false
            var isGone = false
            var isOver = false
            func take(_ delivery: DownloadDelivery) {
                resumed += 1
                if case .bytes(let bytes) = delivery { got += bytes.count } else { isOver = true }
            }
            for _ in 0..<60 where !isGone && !isOver {
                switch Int.random(in: 0..<40, using: &random) {
                case 0:
                    let (waiter, _) = machine.giveUp()
                    #expect(waiter == waiting)
                    if waiter != nil { resumed += 1 }
                    (isGone, waiting) = (true, nil)
                case 1: _ = machine.end(nil)
                case 2..<16 where waiting == nil:
                    waiters += 1
                    switch machine.next(waiters) {
                    case .deliver(let delivery, let unpauses):
                        if unpauses { isPaused = false }
                        take(delivery)
                    case .wait: waiting = waiters
                    case .cancelled, .busy: Issue.record("a lone reader is served")
                    }
                case 16..<30 where !isPaused:
                    let count = Int.random(in: 1...20, using: &random)
                    switch receive(count, &machine) {
                    case .stored: sent += count
                    case .pause: isPaused = true
                    case .discard: Issue.record("the reader is there")
                    }
                default:
                    guard let (waiter, delivery, unpauses) = machine.deliver() else { continue }
                    #expect(waiter == waiting)
                    waiting = nil
                    if unpauses { isPaused = false }
                    take(delivery)
                }
            }
            #expect(resumed + (waiting == nil ? 0 : 1) == waiters)
            if !isGone { #expect(got + machine.bufferedCount == sent) }
        }
    }
}
