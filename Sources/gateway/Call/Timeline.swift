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
        case .retryScheduled(let delay, let status, let error):
            let why = status.map { "status \($0)" } ?? error?.name ?? "no response"
            note("attempt \(event.attempt.number) failed (\(why)), again in \(Self.text(delay))")
        case .notRetried(.budget, _, _): note("not sent again: the retry budget is exhausted")
        case .notRetried(.deadline(let delay), _, _):
            note("not sent again: the next attempt is due in \(Self.text(delay)), after the deadline")
        case .redirected(let status, let origin): note("\(status): redirected to \(origin)")
        case .credentialRejected(let generation): note("401: token \(generation) was rejected")
        case .replayed(let generation): note("sent again with token \(generation) or a later one")
        case .exchanged(let timings):
            note("attempt \(event.attempt.number): \(Self.text(timings))")
        case .failed(let error, _, _): note("failed (\(error.name))")
        case .cancelled: note("cancelled")
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
        case .timeoutRateExceeded(_, let rate, let calls):
            note("\(Int((rate * 100).rounded())) % of \(calls) calls to \(origin) time out")
        case .timeoutRateRecovered: note("fewer calls to \(origin) time out")
        case .retryBudgetRecovered: note("the retry budget of \(origin) is full again")
        case .circuitOpened(let name, let time): note("circuit breaker \(name): open for \(Self.text(time))")
        case .circuitHalfOpened(let name): note("circuit breaker \(name): half-open")
        case .circuitClosed(let name): note("circuit breaker \(name): closed")
        case .circuitIsolated(let name): note("circuit breaker \(name): isolated")
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
        case .refreshFailed(let code, _, let pause):
            note(
                "token: the request failed (\(code.name))"
                    + (pause.map { ", next request after \(Self.text($0))" } ?? ""))
        case .storeFailed(let code, _): note("token: it could not be stored (\(code.name))")
        default: break
        }
    }

    // MARK: Texts

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
