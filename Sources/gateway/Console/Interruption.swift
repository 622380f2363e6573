import Dispatch
import GatewayClient

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Ends the command in order on SIGINT and SIGTERM: what is under way is cancelled, and leaves no half of a file
/// behind. A second signal, or a second without an end, ends it at once.
final class Interruption: Sendable {
    private let signalled = Signalled()
    private let queue = DispatchQueue(label: "signals")
    /// Nothing is done with them once they are made; they end with this.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

    private final class Signalled: Sendable {
        let number = Locked<Int32?>(nil)
    }

    init(cancelling work: Task<Int32, Never>) {
        var sources: [any DispatchSourceSignal] = []
        for number in [SIGINT, SIGTERM] {
            _ = signal(number, SIG_IGN)
            sources.append(DispatchSource.makeSignalSource(signal: number, queue: queue))
        }
        unsafe self.sources = sources
        for (number, source) in zip([SIGINT, SIGTERM], sources) {
            source.setEventHandler { [signalled, queue] in
                let isFirst = signalled.number.withLock { first in
                    defer { first = first ?? number }
                    return first == nil
                }
                guard isFirst else { _exit(128 + number) }
                work.cancel()
                queue.asyncAfter(deadline: .now() + 1) { _exit(128 + number) }
            }
            source.resume()
        }
    }

    /// The exit status that a signal asks for; `nil` where none came.
    var status: Int32? { signalled.number.withLock { $0.map { 128 + $0 } } }
}
