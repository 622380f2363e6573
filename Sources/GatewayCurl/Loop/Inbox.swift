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
    /// Answer a question about its state.
    case ask(LoopQuestion)
    /// Look at the clock.
    case wake
}

/// A question about the state of a loop. An object, so that commands are one reference.
final class LoopQuestion: Sendable {
    /// Reads the loop and resumes the caller; `nil` if there is no loop.
    let answer: @Sendable (CurlLoop?) -> Void

    init(answer: @escaping @Sendable (CurlLoop?) -> Void) { self.answer = answer }
}

extension LoopCommand {
    /// Whether a loop without a thread may drop the command, because it has nothing.
    fileprivate var isLost: Bool {
        if case .ask = self { return false }
        return true
    }
}

/// The one way onto a loop. The loop is woken by an event descriptor, and only when it sleeps: while it is busy, a
/// command costs a lock and nothing else.
final class Inbox: Sendable {
    private enum Life {
        /// The loop has no thread: none was started, or it could not do its work. → `running`, `closed`
        case idle
        /// The loop's thread takes commands, or will. → `idle`, `closing`
        case running
        /// The loop is to end. → `closed`
        case closing
        /// The loop has ended.
        case closed
    }

    private struct State {
        var life = Life.idle
        var commands: [LoopCommand] = []
        var ownership = LoopOwnership()
        /// Set while callers may visit the loop.
        var host: Host?
        var closeWaiters: [CheckedContinuation<Void, Never>] = []
    }

    /// The loop, which outlives every visit and is used only by its owner.
    @safe
    private struct Host: Sendable {
        nonisolated(unsafe) unowned(unsafe) let loop: CurlLoop
    }

    private let settings: LoopSettings
    private let state = Locked(State())
    /// What the transfers that come have.
    let slots: ConnectionSlots
    private let pending = Atomic<Int>(0)
    private let isEnding = Atomic<Bool>(false)
    private let visits = Atomic<Int>(0)
    /// More commands than this at once are a burst, most of which will wait.
    private static let crowdSize = 64
    /// Interrupts the wait for sockets.
    let sleep = EventDescriptor()
    /// Ends the rest of the loop's thread.
    private let rest = EventDescriptor()

    init(settings: LoopSettings) {
        self.settings = settings
        slots = ConnectionSlots(settings)
    }

    /// Whether requests wait for a connection.
    var isCrowded: Bool {
        slots.isCrowded || pending.load(ordering: .relaxed) > Self.crowdSize
    }

    /// Hands over a command; `false` where the loop is closing and takes no more. A transfer starts the loop where it
    /// could not be started before; other commands are of no use to a loop that has nothing.
    func post(_ command: LoopCommand) -> Bool {
        let (isTaken, starts, call) = state.withLock { state in
            var starts = false
            switch state.life {
            case .running: break
            case .idle:
                guard case .submit = command else {
                    return (command.isLost, false, LoopOwnership.Call.none)
                }
                state.life = .running
                starts = true
            case .closing, .closed: return (false, false, LoopOwnership.Call.none)
            }
            state.commands.append(command)
            pending.store(state.commands.count, ordering: .relaxed)
            return (true, starts, state.ownership.call())
        }
        if starts { startThread() }
        run(call)
        return isTaken
    }

    /// Hands over a transfer, or makes its exchange on this thread where nothing else is under way and it will not
    /// take long; `false` where the loop is closing and takes no more.
    func submit(_ transfer: Transfer) -> Bool {
        guard transfer.isShort else { return post(.submit(transfer)) }
        let host = state.withLock { state -> Host? in
            guard state.life == .running, let host = state.host, state.ownership.enter() else { return nil }
            return host
        }
        guard let host else { return post(.submit(transfer)) }
        unsafe host.loop.visit(transfer)
        return true
    }

    /// Starts the loop. Where that fails the next transfer tries again.
    func start() {
        let starts = state.withLock { state in
            guard state.life == .idle else { return false }
            state.life = .running
            return true
        }
        if starts { startThread() }
    }

    /// Asks the loop to end. Commands that were taken are still answered.
    func close() {
        slots.close()
        run(
            state.withLock { state in
                switch state.life {
                case .idle: state.life = .closed
                case .running:
                    state.life = .closing
                    isEnding.store(true, ordering: .relaxed)
                    return state.ownership.call()
                case .closing, .closed: break
                }
                return .none
            })
    }

    /// Returns when the loop has ended.
    func closed() async {
        await withCheckedContinuation { continuation in
            let isClosed = state.withLock { state in
                let isClosed = state.life == .closed
                if !isClosed { state.closeWaiters.append(continuation) }
                return isClosed
            }
            if isClosed { continuation.resume() }
        }
    }

    /// What the loop's owner reads from its state between two turns; `nil` if the loop has no thread.
    func ask<Answer: Sendable>(_ question: @escaping @Sendable (CurlLoop) -> Answer) async -> Answer? {
        await withCheckedContinuation { continuation in
            let isRunning = state.withLock { $0.life == .running }
            let question = LoopQuestion { continuation.resume(returning: $0.map(question)) }
            guard isRunning, post(.ask(question)) else { return continuation.resume(returning: nil) }
        }
    }

    // MARK: For the loop

    /// Allows callers to run exchanges on their threads while the loop is idle.
    func enableInlineExecution(on loop: CurlLoop) {
        let host = Host(loop: loop)
        state.withLock { $0.host = host }
    }

    /// Exchanges the commands for an empty buffer, which keeps its room. Tells whether the loop is to end.
    func take(into commands: inout [LoopCommand]) -> Bool {
        state.withLock { state in
            state.ownership.awake()
            swap(&state.commands, &commands)
            pending.store(0, ordering: .relaxed)
            return state.life == .closing
        }
    }

    /// Says that the loop's thread is about to sleep; `false` where there is something to do first.
    ///
    /// - Parameter isResting: whether it leaves its sockets to callers meanwhile.
    func prepareToSleep(isResting: Bool) -> Bool {
        state.withLock { state in
            guard state.commands.isEmpty, state.life == .running else { return false }
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
            // While a caller owns the loop, wait until it leaves.
            timeout = -1
        } while !state.withLock { $0.ownership.endRest() }
    }

    /// Notes that a caller runs its exchange itself.
    func noteVisit() { visits.add(1, ordering: .relaxed) }

    /// The number of exchanges that ran on their caller's thread.
    var visitCount: Int { visits.load(ordering: .relaxed) }

    /// Who owns the loop.
    var owner: LoopOwnership.Owner { state.withLock { $0.ownership.owner } }

    /// Whether the loop's thread is wanted: something came, or the loop is to end.
    var isCalled: Bool { pending.load(ordering: .relaxed) > 0 || isEnding.load(ordering: .relaxed) }

    /// The caller that owns the loop leaves it.
    ///
    /// - Parameters:
    ///   - isIdle: whether nothing is left in progress.
    ///   - transfer: the caller's transfer, if it has not been started.
    func leave(isIdle: Bool, handingOver transfer: Transfer? = nil) {
        let callsThread = state.withLock { state in
            if let transfer { state.commands.insert(.submit(transfer), at: 0) }
            return state.ownership.leave(
                isIdle: isIdle && state.commands.isEmpty && state.life == .running)
        }
        if callsThread { rest.signal() }
    }

    /// Opens what wakes the loop; `false` where the system does not give it, and `errno` says why.
    func openDescriptors() -> Bool { sleep.open() && rest.open() }

    private func run(_ call: LoopOwnership.Call) {
        switch call {
        case .none: break
        case .interruptSleep: sleep.signal()
        case .endRest: rest.signal()
        }
    }

    // MARK: The thread

    /// Starts the loop's thread, which holds the inbox until it ends.
    private func startThread() {
        let isStarted = LoopThread.start {
            do throws(NetworkError) {
                try CurlLoop(inbox: self, settings: self.settings).run()
                self.didEnd(nil)
            } catch {
                self.didEnd(error)
            }
        }
        if !isStarted { didEnd(CurlLoop.notStarted("the system gives no thread")) }
    }

    /// The loop has ended, or could not start: answers what it has not taken. After an error it is idle again, unless
    /// it is to be closed.
    private func didEnd(_ error: NetworkError?) {
        let (commands, waiters, cause) = state.withLock { state in
            let cause = state.life == .closing ? nil : error
            state.life = cause == nil ? .closed : .idle
            state.host = nil
            state.ownership = LoopOwnership()
            pending.store(0, ordering: .relaxed)
            defer {
                state.commands = []
                state.closeWaiters = []
            }
            return (state.commands, state.closeWaiters, cause)
        }
        for command in commands {
            switch command {
            case .submit(let transfer): transfer.refuse(cause)
            case .ask(let question): question.answer(nil)
            default: break
            }
        }
        for waiter in waiters { waiter.resume() }
    }
}
