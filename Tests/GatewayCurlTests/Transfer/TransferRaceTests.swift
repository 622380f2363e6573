import Foundation
import GatewayCore
import GatewayTesting
import Synchronization
import TestTiers
import Testing

@testable import GatewayCurl

/// The transfer's state machine under its lock, as ``Transfer`` drives it, with threads that race: ThreadSanitizer
/// sees what seeded interleavings on one thread cannot.
@Suite(.tags(.concurrent), .timeLimit(.minutes(1))) struct TransferRaceTests {
    /// One transfer, its callers' box, and what came of it.
    private final class Race: Sendable {
        /// What a waiter is resumed with may be written by one thread alone: the one that was given the waiter.
        private final class Waiter: @unchecked Sendable {
            var resumptions = 0
        }

        private let machine = Locked(TransferStateMachine<Waiter>())
        private let waiter = Waiter()
        private let isSubmitted = Atomic(false)
        private let resumptions = Atomic(0)
        private let orders = Atomic(0)
        private let isTaken = Atomic(false)

        private func resume(_ waiter: Waiter) {
            // Unlocked on purpose: two threads that resume are a data race besides two resumes.
            waiter.resumptions += 1
            resumptions.add(1, ordering: .sequentiallyConsistent)
        }

        func wait() {
            switch machine.withLock({ $0.wait(waiter) }) {
            case .submit: isSubmitted.store(true, ordering: .sequentiallyConsistent)
            case .resumeCancelled(let waiter): resume(waiter)
            }
        }

        func cancel() {
            switch machine.withLock({ $0.cancel() }) {
            case .none: break
            case .resumeCancelled(let waiter): resume(waiter)
            case .tellLoop: orders.add(1, ordering: .sequentiallyConsistent)
            }
        }

        /// The loop: takes what was handed over, and ends it `count` times over, as completion, timeout and close
        /// may do.
        func runLoop(ends count: Int, until isWaitOver: () -> Bool) {
            while !isSubmitted.load(ordering: .sequentiallyConsistent) {
                if isWaitOver(), !isSubmitted.load(ordering: .sequentiallyConsistent) { return }
            }
            if machine.withLock({ $0.take() }) {
                isTaken.store(true, ordering: .sequentiallyConsistent)
            }
            for _ in 0..<count { finish() }
        }

        func finish() {
            if let waiter = machine.withLock({ $0.finish() }) { resume(waiter) }
        }

        /// Whether one resume came of it, and the loop was told at most once, and only of what it had.
        var isSound: Bool {
            let orders = orders.load(ordering: .sequentiallyConsistent)
            return resumptions.load(ordering: .sequentiallyConsistent) == 1 && waiter.resumptions == 1
                && machine.withLock { $0.isFinished } && orders <= 1
                && (orders == 0 || isTaken.load(ordering: .sequentiallyConsistent))
        }
    }

    /// Threads that meet at every round: a caller, two who cancel, and a loop.
    @Test func threadsThatRaceResumeOnce() async {
        let rounds = SoakScale.rounds(500)
        let races = (0..<rounds).map { _ in Race() }
        let waits = (0..<rounds).map { _ in Flag() }
        let parties: [@Sendable (Int) -> Void] = [
            { index in
                Self.stagger(index, 1)
                races[index].wait()
                waits[index].raise()
            },
            { index in
                guard index % 4 != 3 else { return }
                Self.stagger(index, 2)
                races[index].cancel()
            },
            { index in
                guard index % 3 != 2 else { return }
                Self.stagger(index, 3)
                races[index].cancel()
            },
            { index in
                races[index].runLoop(ends: 1 + index % 3) { waits[index].isRaised }
            },
        ]
        let barrier = Barrier(parties: parties.count)
        await withTaskGroup(of: Void.self) { group in
            for party in parties {
                group.addTask {
                    await Self.onThread {
                        for index in 0..<rounds {
                            barrier.meet(index)
                            party(index)
                        }
                    }
                }
            }
        }
        #expect(races.firstIndex { !$0.isSound } == nil)
    }

    /// A little while that differs from round to round and from party to party.
    private static func stagger(_ index: Int, _ party: Int) {
        for _ in 0..<(index &* (party &* 7 &+ 3) % 61) { _ = ContinuousClock.now }
    }

    private static func onThread(_ run: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                run()
                continuation.resume()
            }
        }
    }
}

/// Is raised once.
private final class Flag: Sendable {
    private let value = Atomic(false)
    var isRaised: Bool { value.load(ordering: .sequentiallyConsistent) }
    func raise() { value.store(true, ordering: .sequentiallyConsistent) }
}

/// Lets as many threads as it has parties go at once, round after round.
private final class Barrier: Sendable {
    private let arrived = Atomic(0)
    private let parties: Int

    init(parties: Int) { self.parties = parties }

    func meet(_ round: Int) {
        arrived.add(1, ordering: .sequentiallyConsistent)
        while arrived.load(ordering: .sequentiallyConsistent) < parties * (round + 1) { sched_yield() }
    }
}
