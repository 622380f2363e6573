import CLibcurl
import GatewayCore
import Synchronization

/// A command to a loop.
enum LoopCommand: Sendable {
    /// Take over a transfer.
    case submit(Transfer)
    /// End a transfer whose caller was cancelled.
    case cancel(Transfer)
    /// Resume a paused upload: it has more bytes or its end.
    case resumeUpload(Transfer)
    /// Resume a paused download: its buffer has space.
    case resumeDownload(Transfer)
    /// Close idle connections.
    case dropIdleConnections
    /// Answer a question about its state.
    case ask(LoopQuestion)
    /// Check the clock.
    case wake
}

/// A question about the state of a loop. An object, so that commands are one reference.
final class LoopQuestion: Sendable {
    /// Reads the loop and resumes the caller; `nil` if there is no loop.
    let answer: @Sendable (CurlLoop?) -> Void

    init(answer: @escaping @Sendable (CurlLoop?) -> Void) { self.answer = answer }
}

extension LoopCommand {
    /// Whether a loop without a thread may drop the command, because it has no transfers.
    fileprivate var isLost: Bool {
        if case .ask = self { return false }
        return true
    }
}

/// The queue of commands to a loop. An event descriptor wakes the loop only if it sleeps; while it is busy, a command
/// takes only a lock.
final class Inbox: Sendable {
    private enum Life {
        /// The loop has no thread: none was started, or it could not do its work. → `running`, `closed`
        case idle
        /// The loop's thread takes commands, or is starting. → `idle`, `closing`
        case running
        /// The loop is ending. → `closed`
        case closing
        /// The loop has ended.
        case closed
    }

    private struct State {
        var life = Life.idle
        var commands: [LoopCommand] = []
        /// Whether the loop's thread waits for its sockets or is about to, and has not been woken yet.
        var isAsleep = false
        var closeWaiters: [CheckedContinuation<Void, Never>] = []

        /// Returns whether the thread must be woken; `true` once per sleep.
        mutating func wakes() -> Bool {
            defer { isAsleep = false }
            return isAsleep
        }
    }

    private let settings: LoopSettings
    private let state = Locked(State())
    /// The connection slots of the transfers.
    let slots: ConnectionSlots
    private let pending = Atomic<Int>(0)
    /// If more commands than this arrive together, most of their requests will wait.
    private static let crowdSize = 64
    /// Interrupts the wait for sockets.
    let wakeup = EventDescriptor()

    init(settings: LoopSettings) {
        self.settings = settings
        slots = ConnectionSlots(settings)
    }

    /// Whether requests wait for a connection.
    var isCrowded: Bool {
        slots.isCrowded || pending.load(ordering: .relaxed) > Self.crowdSize
    }

    /// Whether there are commands that the loop has not taken, for tests.
    var isCalled: Bool { pending.load(ordering: .relaxed) > 0 }

    /// Posts a command; `false` if the loop is closing. A transfer starts a loop that could not be started before;
    /// other commands have no effect on a loop without a thread.
    func post(_ command: LoopCommand) -> Bool {
        let (isTaken, starts, wakes) = state.withLock { state in
            var starts = false
            switch state.life {
            case .running: break
            case .idle:
                guard case .submit = command else { return (command.isLost, false, false) }
                state.life = .running
                starts = true
            case .closing, .closed: return (false, false, false)
            }
            state.commands.append(command)
            pending.store(state.commands.count, ordering: .relaxed)
            return (true, starts, state.wakes())
        }
        if starts { startThread() }
        if wakes { wakeup.signal() }
        return isTaken
    }

    /// Starts the loop. If that fails, the next transfer tries again.
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
        let wakes = state.withLock { state in
            switch state.life {
            case .idle: state.life = .closed
            case .running: state.life = .closing
            case .closing, .closed: break
            }
            return state.wakes()
        }
        if wakes { wakeup.signal() }
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

    /// Reads the loop's state on its thread, between two turns; `nil` if the loop has no thread.
    func ask<Answer: Sendable>(_ question: @escaping @Sendable (CurlLoop) -> Answer) async -> Answer? {
        await withCheckedContinuation { continuation in
            let isRunning = state.withLock { $0.life == .running }
            let question = LoopQuestion { continuation.resume(returning: $0.map(question)) }
            guard isRunning, post(.ask(question)) else { return continuation.resume(returning: nil) }
        }
    }

    // MARK: For the loop

    /// Exchanges the commands for an empty buffer with reserved capacity. Returns whether the loop must end.
    func take(into commands: inout [LoopCommand]) -> Bool {
        state.withLock { state in
            state.isAsleep = false
            swap(&state.commands, &commands)
            pending.store(0, ordering: .relaxed)
            return state.life == .closing
        }
    }

    /// Records that the loop's thread is about to sleep; `false` if there are commands to process first.
    func prepareToSleep() -> Bool {
        state.withLock { state in
            state.isAsleep = state.commands.isEmpty && state.life == .running
            return state.isAsleep
        }
    }

    // MARK: The thread

    /// Starts the loop's thread, which retains the inbox until it ends.
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

    /// Called when the loop has ended or could not start: answers the remaining commands. After an error it is idle
    /// again, unless it is closing.
    private func didEnd(_ error: NetworkError?) {
        let (commands, waiters, cause) = state.withLock { state in
            let cause = state.life == .closing ? nil : error
            state.life = cause == nil ? .closed : .idle
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
