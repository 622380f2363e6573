import GatewayTesting

/// What a storm's record shows. A pure function of the record.
///
/// A fault is
/// - a refresh token that was used again, for none of the reasons that no client can know of (``Reason``);
/// - a refresh token that the server never gave out, or one of a family that nobody had revoked;
/// - a lost login: a process is asked for a sign-in though no refresh token was used again and no record was lost;
/// - a call that hangs, or ends with an error without a code;
/// - a process that ends by itself;
/// - a process that gets no response after everything that was in its way is gone.
struct StormVerdict: Sendable {
    /// Why a refresh token may be used again.
    enum Reason: String, Sendable, CaseIterable {
        /// The process was killed between sending it and storing what came of it.
        case killed = "kills"
        /// What came of it was stored, or its sending noted, and then the directory replaced by an older copy.
        case restored = "older records"
    }

    struct Fault: Sendable, CustomStringConvertible {
        let time: UInt64
        let text: String
        var description: String { text }
    }

    private static let loginLost = "reauthentication_required"

    private(set) var faults: [Fault] = []
    /// Each token that was used again for a reason.
    private(set) var reuses: [String: Reason] = [:]

    /// Judges a record.
    ///
    /// - Parameters:
    ///   - entries: in any order.
    ///   - start: from when on what happened is judged; what is older explains it.
    ///   - callLimit: how long a call may take, in nanoseconds, without the time in which its process was stopped.
    init(_ entries: [StormEntry], from start: UInt64 = 0, callLimit: UInt64 = 15_000_000_000) {
        let record = Record(entries.sorted { $0.time < $1.time })
        for use in record.uses where use.time >= start {
            switch use.outcome {
            case .granted: break
            case .reused: judgeReuse(use, record)
            case .revoked: judgeRevoked(use, record)
            case .unknown: fault(use.time, "token \(use.token) was sent, and never given out")
            }
        }
        judgeLogins(record, from: start)
        judgeCalls(record, limit: callLimit)
        judgeExits(record)
        judgeRecoveries(record, from: start)
        faults.sort { $0.time < $1.time }
    }

    private mutating func fault(_ time: UInt64, _ text: String) {
        faults.append(Fault(time: time, text: text))
    }

    // MARK: Refresh tokens

    private mutating func judgeReuse(_ use: Record.Use, _ record: Record) {
        let sends = (record.sends[use.token] ?? []).filter { $0.time <= use.time }
        let text = "token \(use.token) was used again"
        guard let last = sends.last else { return fault(use.time, text + " by nobody who says so") }
        var reasons: [Reason] = []
        for send in sends.dropLast() {
            switch record.fate(of: send, before: last.time) {
            case .harmless: break
            case .explained(let reason): reasons.append(reason)
            case .unexplained(let why): return fault(use.time, "\(text) by \(last.who): \(send.who) \(why)")
            }
        }
        guard let reason = reasons.last else {
            return fault(use.time, "\(text) by \(last.who), and nobody is known to have used it before")
        }
        reuses[use.token] = reason
    }

    /// After a reuse all tokens of the family are refused.
    private mutating func judgeRevoked(_ use: Record.Use, _ record: Record) {
        let isRevoked = record.uses.contains {
            $0.outcome == .reused && $0.family == use.family && $0.time <= use.time
        }
        if !isRevoked {
            fault(use.time, "token \(use.token) was refused, and its family was revoked by nobody")
        }
    }

    // MARK: Logins

    private mutating func judgeLogins(_ record: Record, from start: UInt64) {
        for process in record.processes.values {
            for end in process.ends where end.outcome == Self.loginLost && end.time >= start {
                let since = record.login(of: process, at: process.calls[end.call] ?? end.time)
                if !record.losses.contains(where: { $0 > since && $0 <= end.time }) {
                    fault(end.time, "call \(end.call) of \(process.name): the login is lost, for no reason")
                }
            }
        }
    }

    // MARK: Calls and processes

    private mutating func judgeCalls(_ record: Record, limit: UInt64) {
        for process in record.processes.values {
            for (call, start) in process.calls {
                let end = process.endTimes[call]
                let last = end ?? min(process.killed ?? .max, process.exited ?? .max, record.end)
                if last > start, last - start - process.stopped(from: start, to: last) > limit {
                    fault(last, "call \(call) of \(process.name) \(end == nil ? "hangs" : "took too long")")
                }
            }
            for end in process.ends where end.outcome.hasPrefix("untyped") {
                fault(end.time, "call \(end.call) of \(process.name) ended with an error without a code")
            }
        }
    }

    private mutating func judgeExits(_ record: Record) {
        for process in record.processes.values {
            guard let exited = process.exited, process.wasKilled.map({ $0 > exited }) ?? true else {
                continue
            }
            fault(exited, "\(process.name) ended by itself, status \(process.status)")
        }
    }

    private mutating func judgeRecoveries(_ record: Record, from start: UInt64) {
        for round in record.rounds where round.over >= start {
            for process in record.processes.values where process.isAlive(from: round.healed, to: round.over) {
                let hasRecovered = process.ends.contains {
                    $0.outcome == "200" && $0.time <= round.over
                        && process.calls[$0.call].map { $0 >= round.healed } ?? false
                }
                if !hasRecovered {
                    fault(round.over, "\(process.name) got no response after round \(round.number)")
                }
            }
        }
    }
}
