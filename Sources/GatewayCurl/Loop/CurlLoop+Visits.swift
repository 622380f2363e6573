import CLibcurl
import GatewayCore

/// Exchanges that their callers make themselves.
///
/// To hand an exchange to the loop's thread and its result back takes two changes of threads, of 5 µs and more each
/// where the other thread sleeps. To an origin that answers in less than a tenth of a millisecond, as a gateway on the
/// same machine does, that is as long as the exchange itself. So while nothing else is under way, a caller whose
/// origin has been answering that fast drives the loop on his own thread, and leaves it to the loop's thread as soon
/// as something else comes in or the answer takes longer than it used to.
extension CurlLoop {
    /// Makes a caller's exchange, on his thread. He owns the loop and has given it up on return.
    func visit(_ transfer: Transfer) {
        guard paces.isQuick(transfer.request.origin) else {
            return inbox.leave(isIdle: false, handingOver: transfer)
        }
        inbox.noteVisit()
        let signals = speaksTLS ? BlockedPipeSignal() : nil
        now = LoopClock.now
        let until = now + settings.visits.visit
        admit(transfer)
        while true {
            runCurlTimers()
            collectEnded()
            guard runningCount > 0, !inbox.isCalled, now < until else { break }
            turnSockets(nanoseconds: until - now)
        }
        judge(transfer, until: until)
        resumeAll()
        signals?.end()
        inbox.leave(isIdle: isIdle && nextDue >= restsUntil)
    }

    /// What a visit says about the next. Where it was interrupted, or a connection had to be made, nothing.
    private func judge(_ transfer: Transfer, until: Int64) {
        if runningCount == 0 {
            paces.satisfied(transfer.request.origin)
        } else if now >= until, let handle = unsafe transfer.onLoop.handle, handle.openedSocket < 0 {
            paces.disappointed(transfer.request.origin)
        }
    }

    /// Whether nothing is under way, not even the end of a connection.
    var isIdle: Bool { runningCount == 0 && queue.waitingCount == 0 && !sockets.isWaitedFor }
}
