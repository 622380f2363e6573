import CLibcurl
import GatewayCore
import Synchronization

#if canImport(Glibc)
    private import Glibc
#else
    private import Musl
#endif

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

/// The one way onto a loop. The loop is woken by its event descriptor, and only when it sleeps: while it is
/// busy, a command costs a lock and nothing else.
final class Inbox: Sendable {
    private struct State {
        var commands: [LoopCommand] = []
        var isSleeping = false
        var isClosing = false
        var isClosed = false
        var closeWaiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())
    private let crowd = Atomic<Bool>(false)
    private let pending = Atomic<Int>(0)
    /// More commands than this at once are a burst, most of which will wait.
    private static let crowdSize = 64
    /// Readable when the loop should look into the inbox; -1 where the system gave none.
    let eventDescriptor: Int32

    init() {
        eventDescriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    }

    deinit {
        closeDescriptor(eventDescriptor)
    }

    /// Whether requests wait for a connection.
    var isCrowded: Bool {
        crowd.load(ordering: .relaxed) || pending.load(ordering: .relaxed) > Self.crowdSize
    }

    /// Hands over a command; `false` where the loop is closing and takes no more.
    func post(_ command: LoopCommand) -> Bool {
        let (isTaken, wakes) = state.withLock { state in
            guard !state.isClosing else { return (false, false) }
            state.commands.append(command)
            pending.store(state.commands.count, ordering: .relaxed)
            defer { state.isSleeping = false }
            return (true, state.isSleeping)
        }
        if wakes { wake() }
        return isTaken
    }

    /// Asks the loop to end. Commands that were taken are still answered.
    func close() {
        let wakes = state.withLock { state in
            state.isClosing = true
            defer { state.isSleeping = false }
            return state.isSleeping
        }
        if wakes { wake() }
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

    /// Exchanges the commands for an empty buffer, which keeps its room. Tells whether the loop is to end.
    func take(into commands: inout [LoopCommand]) -> Bool {
        state.withLock { state in
            state.isSleeping = false
            swap(&state.commands, &commands)
            pending.store(0, ordering: .relaxed)
            return state.isClosing
        }
    }

    /// Says that the loop is about to sleep; `false` where there is something to do first.
    func prepareToSleep() -> Bool {
        state.withLock { state in
            guard state.commands.isEmpty, !state.isClosing else { return false }
            state.isSleeping = true
            return true
        }
    }

    /// Says whether requests wait for a connection.
    func note(isCrowded: Bool) {
        if crowd.load(ordering: .relaxed) != isCrowded { crowd.store(isCrowded, ordering: .relaxed) }
    }

    /// Makes the event descriptor unreadable again.
    func acknowledge() {
        var count: UInt64 = 0
        _ = unsafe read(eventDescriptor, &count, 8)
    }

    /// The loop has ended: commands that came too late are given back.
    func didClose() -> [LoopCommand] {
        let (commands, waiters) = state.withLock { state in
            state.isClosing = true
            state.isClosed = true
            defer {
                state.commands = []
                state.closeWaiters = []
            }
            return (state.commands, state.closeWaiters)
        }
        for waiter in waiters { waiter.resume() }
        return commands
    }

    private func wake() {
        var one: UInt64 = 1
        _ = unsafe write(eventDescriptor, &one, 8)
    }
}

/// `close`, which the class has a method of the same name for.
private func closeDescriptor(_ descriptor: Int32) {
    if descriptor >= 0 { _ = close(descriptor) }
}
