import GatewayCore

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// What other threads ask of a ``ServerLoop``.
///
/// Resuming goes through here too: a resume that libmicrohttpd learns of on another thread, while its own looks for
/// events, is noticed only with the next event.
final class LoopQueue: Sendable {
    struct Work: Sendable {
        /// Connected sockets to serve.
        fileprivate(set) var accepted: [Int32] = []
        /// Requests that were set aside and go on.
        fileprivate(set) var resumed: [ServerExchange] = []
        /// The last work: the loop ends after it.
        fileprivate(set) var isLast = false
    }

    private let work = Locked(Work())
    private let wakeup: Wakeup

    init() throws(EmbeddedGateway.StartError) { wakeup = try Wakeup() }

    /// Readable when there is work.
    var descriptor: Int32 { wakeup.descriptor }

    /// Hands a connected socket over; it is closed where the loop has ended.
    func add(_ descriptor: Int32) {
        let isTaken = work.withLock { work in
            guard !work.isLast else { return false }
            work.accepted.append(descriptor)
            return true
        }
        if isTaken { wakeup.wake() } else { _ = close(descriptor) }
    }

    /// Lets a request go on that was set aside.
    func resume(_ exchange: ServerExchange) {
        work.withLock { $0.resumed.append(exchange) }
        wakeup.wake()
    }

    /// Ends the loop after the work so far.
    func finish() {
        work.withLock { $0.isLast = true }
        wakeup.wake()
    }

    /// Takes the work so far. On the loop's thread.
    func take() -> Work {
        wakeup.drain()
        return work.withLock { work in
            defer {
                work.accepted = []
                work.resumed = []
            }
            return work
        }
    }
}
