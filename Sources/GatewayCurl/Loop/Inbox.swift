import CLibcurl
import GatewayCore
import Synchronization

/// What a loop is asked to do.
enum LoopCommand: Sendable {
    /// Take over a transfer.
    case submit(Transfer)
    /// Give up a transfer whose caller was cancelled.
    case cancel(Transfer)
    /// A paused upload has bytes again, or its end.
    case resumeUpload(Transfer)
    /// A paused download has room again.
    case resumeDownload(Transfer)
    /// Close connections that carry nothing.
    case dropIdleConnections
}

/// The one way onto a loop. The loop is woken by an event descriptor, and only when it sleeps: while it is busy, a
/// command costs a lock and nothing else.
final class Inbox: Sendable {
    private struct State {
        var commands: [LoopCommand] = []
        var ownership = LoopOwnership()
        /// Set while callers may visit the loop.
        var host: Host?
        var isClosing = false
        var isClosed = false
        var closeWaiters: [CheckedContinuation<Void, Never>] = []
    }

    /// The loop, which outlives every visit and is touched only by whom the ownership names.
    @safe
    private struct Host: Sendable {
        nonisolated(unsafe) unowned(unsafe) let loop: CurlLoop
    }

    private let state = Locked(State())
    private let crowd = Atomic<Bool>(false)
    private let pending = Atomic<Int>(0)
    private let isEnding = Atomic<Bool>(false)
    private let visits = Atomic<Int>(0)
    /// More commands than this at once are a burst, most of which will wait.
    private static let crowdSize = 64
    /// Interrupts the wait for sockets.
    let sleep = EventDescriptor()
    /// Ends the rest of the loop's thread.
    private let rest = EventDescriptor()

    /// Whether the system gave what is needed.
    var isUsable: Bool { sleep.isOpen && rest.isOpen }

    /// Whether requests wait for a connection.
    var isCrowded: Bool {
        crowd.load(ordering: .relaxed) || pending.load(ordering: .relaxed) > Self.crowdSize
    }

    /// Hands over a command; `false` where the loop is closing and takes no more.
    func post(_ command: LoopCommand) -> Bool {
        let (isTaken, call) = state.withLock { state in
            guard !state.isClosing else { return (false, LoopOwnership.Call.none) }
            state.commands.append(command)
            pending.store(state.commands.count, ordering: .relaxed)
            return (true, state.ownership.call())
        }
        run(call)
        return isTaken
    }

    /// Hands over a transfer, or makes its exchange on this thread where nothing else is under way and it will not
    /// take long; `false` where the loop is closing and takes no more.
    func submit(_ transfer: Transfer) -> Bool {
        guard transfer.isShort else { return post(.submit(transfer)) }
        let host = state.withLock { state -> Host? in
            guard !state.isClosing, let host = state.host, state.ownership.enter() else { return nil }
            return host
        }
        guard let host else { return post(.submit(transfer)) }
        unsafe host.loop.visit(transfer)
        return true
    }

    /// Asks the loop to end. Commands that were taken are still answered.
    func close() {
        run(
            state.withLock { state in
                state.isClosing = true
                isEnding.store(true, ordering: .relaxed)
                return state.ownership.call()
            })
    }

    /// Returns when the loop has ended.
    func closed() async {
        await withCheckedContinuation { continuation in
            let isClosed = state.withLock { state in
                if !state.isClosed { state.closeWaiters.append(continuation) }
                return state.isClosed
            }
            if isClosed { continuation.resume() }
        }
    }

    // MARK: For the loop

    /// Lets callers in, while the loop rests.
    func welcome(to loop: CurlLoop) {
        let host = Host(loop: loop)
        state.withLock { $0.host = host }
    }

    /// Exchanges the commands for an empty buffer, which keeps its room. Tells whether the loop is to end.
    func take(into commands: inout [LoopCommand]) -> Bool {
        state.withLock { state in
            state.ownership.awake()
            swap(&state.commands, &commands)
            pending.store(0, ordering: .relaxed)
            return state.isClosing
        }
    }

    /// Says that the loop's thread is about to sleep; `false` where there is something to do first.
    ///
    /// - Parameter isResting: whether it leaves its sockets to callers meanwhile.
    func prepareToSleep(isResting: Bool) -> Bool {
        state.withLock { state in
            guard state.commands.isEmpty, !state.isClosing else { return false }
            if isResting { state.ownership.rest() } else { state.ownership.sleep() }
            return true
        }
    }

    /// Waits until the loop's thread is called. Afterwards the loop is its own again.
    ///
    /// - Parameter milliseconds: how long at most; negative for as long as it takes.
    func rest(milliseconds: Int32) {
        var timeout = milliseconds
        repeat {
            rest.wait(milliseconds: timeout)
            // While a caller has the loop there is nothing to do but to wait until he leaves.
            timeout = -1
        } while !state.withLock { $0.ownership.endRest() }
    }

    /// A caller makes his exchange himself.
    func noteVisit() { visits.add(1, ordering: .relaxed) }

    /// How many callers did.
    var visitCount: Int { visits.load(ordering: .relaxed) }

    /// Whether the loop's thread is wanted: something came, or the loop is to end.
    var isCalled: Bool { pending.load(ordering: .relaxed) > 0 || isEnding.load(ordering: .relaxed) }

    /// The caller who had the loop leaves it.
    ///
    /// - Parameters:
    ///   - isIdle: whether he leaves nothing behind.
    ///   - transfer: what is still to be done for him.
    func leave(isIdle: Bool, handingOver transfer: Transfer? = nil) {
        let callsThread = state.withLock { state in
            if let transfer { state.commands.insert(.submit(transfer), at: 0) }
            return state.ownership.leave(
                isIdle: isIdle && state.commands.isEmpty && !state.isClosing)
        }
        if callsThread { rest.signal() }
    }

    /// Says whether requests wait for a connection.
    func note(isCrowded: Bool) {
        if crowd.load(ordering: .relaxed) != isCrowded { crowd.store(isCrowded, ordering: .relaxed) }
    }

    /// The loop has ended: commands that came too late are given back.
    func didClose() -> [LoopCommand] {
        let (commands, waiters) = state.withLock { state in
            state.isClosing = true
            state.isClosed = true
            state.host = nil
            defer {
                state.commands = []
                state.closeWaiters = []
            }
            return (state.commands, state.closeWaiters)
        }
        for waiter in waiters { waiter.resume() }
        return commands
    }

    private func run(_ call: LoopOwnership.Call) {
        switch call {
        case .none: break
        case .interruptSleep: sleep.signal()
        case .endRest: rest.signal()
        }
    }
}
