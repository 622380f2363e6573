import GatewayTesting
import Testing

@testable import GatewayCurl

@Suite struct TransferStateMachineTests {
    /// What the three parties do, each in an order of its own.
    private enum Event { case wait, cancel, take, finish }

    /// A run with one interleaving: every action is carried out as the driver would, so that the loop takes and
    /// finishes only what was handed to it.
    private struct Run {
        var machine = TransferStateMachine<Int>()
        var resumed = 0
        var isInInbox = false
        var isOnLoop = false
        var toldLoop = false

        mutating func step(_ event: Event) {
            switch event {
            case .wait:
                switch machine.wait(7) {
                case .submit: isInInbox = true
                case .resumeCancelled(let waiter): resume(waiter)
                }
            case .cancel:
                switch machine.cancel() {
                case .none: break
                case .resumeCancelled(let waiter): resume(waiter)
                case .tellLoop: toldLoop = true
                }
            case .take:
                guard isInInbox else { return }
                isInInbox = false
                if machine.take() { isOnLoop = true }
            case .finish:
                // A closing loop finishes what is still in its inbox, too.
                if let waiter = machine.finish() { resume(waiter) }
                isOnLoop = false
            }
        }

        mutating func resume(_ waiter: Int) {
            #expect(waiter == 7)
            resumed += 1
        }
    }

    /// One resume, whatever races: 10,000 seeded interleavings, times the soak's scale, of waiting, cancelling
    /// (twice), taking, and ending by completion, timeout and close, which may come before the loop has taken it.
    @Test func exactlyOneResume() {
        let first = TestSeed.value(0)
        for seed in (0..<UInt64(SoakScale.rounds(10_000))).lazy.map({ first &+ $0 }) {
            var random = SeededGenerator(seed: seed)
            var caller: [Event] = [.wait]
            var canceller = [Event](repeating: .cancel, count: Int.random(in: 0...2, using: &random))
            let isClosing = Int.random(in: 0..<8, using: &random) == 0
            var loop: [Event] =
                (isClosing ? [] : [.take])
                + [Event](repeating: .finish, count: Int.random(in: 1...3, using: &random))
            var run = Run()
            var order: [Event] = []
            while !(caller.isEmpty && canceller.isEmpty && loop.isEmpty) {
                var choices: [Int] = []
                if !caller.isEmpty { choices.append(0) }
                if !canceller.isEmpty { choices.append(1) }
                // The loop sees nothing before it was handed over.
                if !loop.isEmpty, run.isInInbox || caller.isEmpty { choices.append(2) }
                guard let choice = choices.randomElement(using: &random) else { break }
                let event =
                    switch choice {
                    case 0: caller.removeFirst()
                    case 1: canceller.removeFirst()
                    default: loop.removeFirst()
                    }
                order.append(event)
                run.step(event)
                guard run.resumed <= 1 else { break }
            }
            guard run.resumed == 1, run.machine.isFinished else {
                Issue.record("seed \(seed): \(run.resumed) resumes after \(order)")
                return
            }
        }
    }

    @Test func aCancelledWaiterNeverReachesTheLoop() {
        var machine = TransferStateMachine<Int>()
        guard case .none = machine.cancel() else { return #expect(Bool(false)) }
        guard case .resumeCancelled(7) = machine.wait(7) else { return #expect(Bool(false)) }
        #expect(machine.isFinished)
        #expect(machine.finish() == nil)
    }

    @Test func theLoopIsToldOnce() {
        var machine = TransferStateMachine<Int>()
        _ = machine.wait(7)
        _ = machine.take()
        guard case .tellLoop = machine.cancel() else { return #expect(Bool(false)) }
        guard case .none = machine.cancel() else { return #expect(Bool(false)) }
        #expect(machine.finish() == 7)
        #expect(machine.finish() == nil)
    }
}
