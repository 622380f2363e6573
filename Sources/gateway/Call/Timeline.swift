import Dispatch
import GatewayClient

/// Prints what happens to a call, and when, to standard error. Events hold no secret.
final class Timeline: RequestEventSink {
    private let queue = DispatchQueue(label: "timeline")
    private let start = ContinuousClock.now

    /// Prints a line. The caller does not wait for the terminal.
    func note(_ text: String) {
        let time = Self.text(start.duration(to: .now))
        queue.async {
            Console.note(time: String(repeating: " ", count: max(0, 9 - time.utf8.count)) + time, text)
        }
    }

    /// Returns when all lines are printed.
    func finish() { queue.sync {} }

    /// Prints what happened to a call.
    func record(_ event: borrowing RequestEvent) {
        switch event.kind {
        case .credentialWaited(let time): note("waited \(Self.text(time)) for the credential")
        case .admissionWaited(let time): note("waited \(Self.text(time)) for a permit of the bulkhead")
        case .retryScheduled(let delay, let status, let error):
            let why = status.map { "status \($0)" } ?? error?.name ?? "no response"
            note("attempt \(event.attempt.number) failed (\(why)), again in \(Self.text(delay))")
        case .notRetried(.budget, _, _): note("not sent again: the retry budget is exhausted")
        case .notRetried(.deadline(let delay), _, _):
            note("not sent again: the next attempt is due in \(Self.text(delay)), after the deadline")
        case .hedged(let delay): note("no response after \(Self.text(delay)): sent a second time")
        case .hedgeDecided(.hedge): note("the second request was faster")
        case .redirected(let status, let origin): note("\(status): redirected to \(origin)")
        case .cacheLookedUp(.hit): note("a stored response is used")
        case .cacheLookedUp(.stale): note("a stale stored response is used")
        case .cacheLookedUp(.revalidated): note("the server has validated the stored response")
        case .fallbackUsed(let step, let status, let error):
            note("the call failed (\(status.map { "status \($0)" } ?? error.name)): \(step) is used instead")
        case .rateGateHeld(let time): note("waits for a rate limit, probably for \(Self.text(time))")
        case .rateGateWaited(let time): note("waited \(Self.text(time)) for a rate limit")
        case .notRetried(.rateGate(let delay), _, _):
            note("not sent again: a rate limit allows the next attempt in \(Self.text(delay))")
        case .credentialRejected(let generation): note("401: token \(generation) was rejected")
        case .replayed(let generation): note("sent again with token \(generation) or a later one")
        case .exchanged(let timings):
            note("attempt \(event.attempt.number): \(Self.text(timings))")
        case .failed(let cause, _, _): note("failed (\(cause.code.name))")
        case .cancelled: note("cancelled")
        case .bodyFailed(let cause): note("the body of the response ended early (\(cause.code.name))")
        default: break
        }
    }

    /// Prints what happened that belongs to no call.
    func record(_ event: borrowing StateEvent) {
        let origin = event.origin.map { "\($0)" } ?? "the server"
        switch event.kind {
        case .sentOverPlainHTTP:
            note("credentials go to \(origin) over plain HTTP, as GATEWAY_PLAIN_HTTP_HOSTS allows")
        case .refreshSuspended(let time):
            note("token: new ones are rejected again and again, no more are requested for \(Self.text(time))")
        case .refreshResumed: note("token: a new one was accepted")
        case .retryBudgetExhausted: note("the retry budget of \(origin) is exhausted")
        case .hedgeBudgetExhausted: note("the budget for second requests to \(origin) is exhausted")
        case .timeoutRateExceeded(_, let rate, let calls):
            note("\(Int((rate * 100).rounded())) % of \(calls) calls to \(origin) time out")
        case .timeoutRateRecovered: note("fewer calls to \(origin) time out")
        case .retryBudgetRecovered: note("the retry budget of \(origin) is full again")
        case .circuitOpened(let name, let time): note("circuit breaker \(name): open for \(Self.text(time))")
        case .circuitHalfOpened(let name): note("circuit breaker \(name): half-open")
        case .circuitClosed(let name): note("circuit breaker \(name): closed")
        case .circuitIsolated(let name): note("circuit breaker \(name): isolated")
        case .rateGateClosed(let name, let time, let reason):
            note("\(Self.gate(name, origin)): closed for \(Self.text(time)), \(Self.text(reason))")
        case .rateGateOpened(let name): note("\(Self.gate(name, origin)): calls are released")
        case .rateLimitFieldIgnored(let field):
            note("rate gate of \(origin): \(field) is ignored, its value makes no sense")
        case .bulkheadOverloaded(let limit, let waiting):
            note("bulkhead of \(origin): turns calls away, \(limit) may be in progress and \(waiting) wait")
        case .bulkheadRecovered: note("bulkhead of \(origin): has room again")
        case .concurrencyLimitChanged(let old, let new):
            note("bulkhead of \(origin): its limit changed from \(old) to \(new)")
        case .cacheEvicted(let count): note("cache: \(count) stored responses were removed to make room")
        case .cacheStoreFailed(let code):
            note("cache: its store failed (\(code)), the call goes on without it")
        case .networkChanged(.online): note("network: online")
        case .networkChanged(.offline): note("network: offline")
        case .networkChanged: note("network: it has changed, old connections are not used")
        case .networkUnobservable(let reason):
            note("network: cannot be watched (\(reason)), taken to be there")
        case .networkQualityChanged(_, let quality):
            note("network: \(quality)" + (event.origin.map { " to \($0)" } ?? ""))
        case .networkObstacleChanged(let obstacle):
            note("network: " + (obstacle?.guidance ?? "nothing keeps calls from their servers any more"))
        case .networkAdaptationChanged(let quality):
            note("network: calls to \(origin) have the limits of a network that is \(quality)")
        case .queue: break
        }
    }

    /// Prints what happened to a token.
    func record(_ event: borrowing TokenEvent) {
        let waiting = event.waitingCalls.isEmpty ? "" : ", the call waits"
        switch event.kind {
        case .refreshStarted(.demand): note("token: requesting the first one" + waiting)
        case .refreshStarted(.advisory): note("token: it expires soon, requesting a new one" + waiting)
        case .refreshStarted: note("token: requesting a new one" + waiting)
        case .refreshed(let lifetime, let renewal):
            note("token: number \(event.generation), lives \(Self.text(lifetime))" + Self.renewed(renewal))
        case .adopted(let lifetime, let renewal):
            note("token: found in the store, lives \(Self.text(lifetime))" + Self.renewed(renewal))
        case .lifetimeLimited(let issued, let used):
            note("token: it was issued for \(Self.text(issued)), and is used for \(Self.text(used)) at most")
        case .scopesNarrowed(let missing): note("token: \(Advice.narrowed(missing))")
        case .refreshFailed(let cause, _, _, let pause):
            note(
                "token: the request failed (\(cause.code.name))"
                    + (pause.map { ", next request after \(Self.text($0))" } ?? ""))
        case .notShared: note("token: many clients request the same one; make one client and share it")
        case .storeFailed(let code, _): note("token: it could not be stored (\(code.name))")
        default: break
        }
    }

    // MARK: Texts

    private static func gate(_ name: String, _ origin: String) -> String {
        "rate gate of \(origin)" + (name.isEmpty ? "" : ", limit \(name)")
    }

    private static func text(_ reason: RateLimitReason) -> String {
        switch reason {
        case .rejected(let status): "a call was rejected with status \(status)"
        case .exhausted: "nothing of the quota remains"
        @unknown default: "no reason is known"
        }
    }

    private static func renewed(_ renewal: Duration) -> String { ", renewed after \(text(renewal))" }

    /// Where the time of an exchange went.
    static func text(_ timings: ExchangeTimings) -> String {
        var parts: [String] = []
        if let connection = timings.connection { parts.append(text(connection)) }
        if timings.isReused { parts.append("connection used again") }
        for (name, time) in [
            ("resolve", timings.resolve), ("connect", timings.connect), ("TLS", timings.tls),
            ("first byte", timings.firstByte), ("receive", timings.receive),
        ] {
            if let time { parts.append("\(name) \(text(time))") }
        }
        return "\(text(timings.total)) (\(parts.joined(separator: ", "))), "
            + "\(timings.sentBytes) bytes sent, \(timings.receivedBytes) received"
    }

    /// The protocol and the peer: `HTTP/1.1 with 192.0.2.1:443`.
    private static func text(_ connection: ConnectionInfo) -> String {
        var words: [String] = []
        if let version = connection.version { words.append("HTTP/\(version.rawValue)") }
        if let address = connection.address, let port = connection.port {
            words.append("with " + (address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"))
        }
        return words.joined(separator: " ")
    }

    /// A time as people read it: `0.4 ms`, `12 ms`, `3.2 s`, `5 min`.
    nonisolated static func text(_ duration: Duration) -> String {
        let milliseconds = duration / .milliseconds(1)
        switch milliseconds {
        case ..<9.95: return tenths(milliseconds) + " ms"
        case ..<999.5: return "\(Int(milliseconds.rounded())) ms"
        case ..<59_950: return tenths(milliseconds / 1000) + " s"
        case ..<3_599_500: return tenths(milliseconds / 60_000) + " min"
        default: return tenths(milliseconds / 3_600_000) + " h"
        }
    }

    private static func tenths(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
