import CLibcurl
import GatewayCore

/// Exchanges that run on their caller's thread (visits).
///
/// Why: passing an exchange to the loop's thread and its result back takes two thread switches, of 5 µs or more each if
/// the other thread sleeps. For an origin that answers within a tenth of a millisecond, such as a gateway on the same
/// machine, that is as long as the exchange. So while nothing else is in progress, the caller of such an origin drives the
/// loop on its own thread, until another command arrives or the response takes longer than expected.
extension CurlLoop {
    /// Runs an exchange on its caller's thread, which owns the loop until this returns.
    func visit(_ transfer: Transfer) {
        guard paces.isQuick(transfer.request.origin) else {
            return inbox.leave(isIdle: false, handingOver: transfer)
        }
        inbox.noteVisit()
        let signals = speaksTLS ? BlockedPipeSignal() : nil
        now = settings.clock.now
        let until = now + settings.visits.visit
        admit(transfer)
        while true {
            runCurlTimers()
            collectEnded()
            guard runningCount > 0, !inbox.isCalled, now < until else { break }
            turnSockets(
                nanoseconds: settings.clock.isInjected ? nanoseconds(until: setDue(until)) : until - now)
        }
        judge(transfer, until: until)
        resumeAll()
        signals?.end()
        inbox.leave(isIdle: isIdle && setDue() >= restsUntil)
    }

    /// Records the speed of a visit, unless it was interrupted or opened a connection.
    private func judge(_ transfer: Transfer, until: Int64) {
        if runningCount == 0 {
            paces.recordFastExchange(transfer.request.origin)
        } else if now >= until, let handle = unsafe transfer.onLoop.handle, handle.openedSocket < 0 {
            paces.recordSlowExchange(transfer.request.origin)
        }
    }

    /// Whether nothing is in progress, not even the end of a connection.
    var isIdle: Bool { runningCount == 0 && !sockets.isWaitedFor }
}
