import Dispatch
import GatewayClient
import GatewayLibC

/// Ends the command in order on SIGINT and SIGTERM: the work is cancelled, and leaves no half-written file behind. If it
/// does not end within a second, the command ends without it; while a file is written, within ten.
///
/// Further signals change nothing: `timeout` and many supervisors send each signal to the process and to its group, and
/// the second one must not interrupt the removal of a file.
///
/// A handler passes the signals on through a pipe. To block them and to wait for them is not enough: the main thread of
/// a program with an asynchronous `main` waits with all signals let through, and would end at once. A signal source of
/// Dispatch has lost one on a busy machine.
final class Interruption: Sendable {
    private final class First: Sendable {
        let number = Locked<Int32?>(nil)
    }

    private let first = First()

    /// The ends of the pipe from the handler. Written once, before there is a handler.
    nonisolated(unsafe) private static var toRead: Int32 = -1
    nonisolated(unsafe) private static var toWrite: Int32 = -1

    /// Takes the signals, unless the command was started with them ignored. Called before there is another thread.
    static func catchSignals() {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        unsafe (toRead, toWrite) = (ends[0], ends[1])
        for number in [SIGINT, SIGTERM] {
            let before = signal(number) { number in
                let code = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = unsafe write(Interruption.toWrite, &byte, 1)
                errno = code
            }
            if unsafe unsafeBitCast(before, to: Int.self) == Self.ignoring { _ = signal(number, SIG_IGN) }
        }
    }

    private static var ignoring: Int { unsafe unsafeBitCast(SIG_IGN, to: Int.self) }

    /// Waits for signals.
    init(cancelling work: Task<Int32, Never>) {
        DispatchQueue(label: "signals").async { [first] in
            let signal = Self.next()
            first.number.withLock { $0 = signal }
            work.cancel()
            DispatchQueue.global().asyncAfter(deadline: .now() + 1) {
                guard OutputFile.isBeingWritten else { _exit(128 + signal) }
                DispatchQueue.global().asyncAfter(deadline: .now() + 9) { _exit(128 + signal) }
            }
        }
    }

    /// The exit status that a signal asks for; `nil` without one.
    var status: Int32? { first.number.withLock { $0.map { 128 + $0 } } }

    private static func next() -> Int32 {
        var byte: UInt8 = 0
        while unsafe read(toRead, &byte, 1) != 1 {}
        return Int32(byte)
    }
}
