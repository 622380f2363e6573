import Dispatch
import GatewayClient

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Ends the command in order on SIGINT and SIGTERM: the work is cancelled, and leaves no half-written file behind. A
/// second signal ends the command at once, and so does a second without an end.
///
/// The signals are blocked in every thread and one thread waits for them: one that comes at any time is kept until then.
/// A signal source of Dispatch has lost one on a busy machine.
final class Interruption: Sendable {
    private final class First: Sendable {
        let number = Locked<Int32?>(nil)
    }

    private let first = First()

    /// Blocks the signals in this thread and in those that it starts from now on. Called before there is another.
    static func blockSignals() {
        var signals = Self.signals
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Waits for signals.
    init(cancelling work: Task<Int32, Never>) {
        DispatchQueue(label: "signals").async { [first] in
            Self.blockSignals()
            while true {
                let signal = Self.next()
                let isFirst = first.number.withLock { number in
                    defer { number = number ?? signal }
                    return number == nil
                }
                guard isFirst else { _exit(128 + signal) }
                work.cancel()
                DispatchQueue.global().asyncAfter(deadline: .now() + 1) { _exit(128 + signal) }
            }
        }
    }

    /// The exit status that a signal asks for; `nil` without one.
    var status: Int32? { first.number.withLock { $0.map { 128 + $0 } } }

    private static func next() -> Int32 {
        var (signals, number) = (Self.signals, Int32(0))
        while unsafe sigwait(&signals, &number) != 0 {}
        return number
    }

    private static var signals: sigset_t {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for signal in [SIGINT, SIGTERM] { unsafe sigaddset(&signals, signal) }
        return signals
    }
}
