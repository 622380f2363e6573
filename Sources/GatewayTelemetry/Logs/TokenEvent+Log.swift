import GatewayCore

extension TokenEvent {
    /// The level of the event's line.
    var logLevel: JSONLogSink.Level {
        switch kind {
        case .refreshStarted: .debug
        case .refreshed, .adopted, .storeRecovered, .lifetimeLimited, .signedIn, .signedOut: .info
        case .scopesNarrowed, .storeFailed, .rejected, .grantDiscarded, .revocationFailed, .notShared:
            .warning
        case .refreshFailed(_, let isPermanent, _, _): isPermanent ? .error : .warning
        }
    }

    /// The event's line. It does not name the credential, whose key contains the subject.
    var logEntry: LogEntry {
        var fields: [(JSONLogSink.Field, LogEntry.Value?)] = [
            (.generation, .integer(Int(clamping: generation))), (.waitingCalls, .integer(waitingCalls.count)),
        ]
        switch kind {
        case .refreshStarted(let reason): fields.append((.reason, .text(reason.rawValue)))
        case .refreshed(let lifetime, _), .adopted(let lifetime, _), .lifetimeLimited(_, let lifetime):
            fields.append((.lifetime, .number(Double(lifetime.metricNanoseconds / 1_000_000) / 1_000)))
        case .scopesNarrowed(let missing): fields.append((.count, .integer(missing.count)))
        case .storeFailed(let code, let delay):
            fields += [(.error, .text(code.name)), (.delay, delay.logMilliseconds)]
        case .refreshFailed(let cause, _, let attempt, let delay):
            fields += Self.fields(of: cause)
            fields += [(.attempt, .integer(attempt)), (.delay, delay.map(\.logMilliseconds))]
        case .revocationFailed(let cause): fields += Self.fields(of: cause)
        case .notShared(let coordinators): fields.append((.count, .integer(coordinators)))
        case .storeRecovered, .rejected, .grantDiscarded, .signedIn, .signedOut: break
        }
        return LogEntry(logLevel, "token_" + kind.name, fields)
    }

    private static func fields(of cause: FailureCause) -> [(JSONLogSink.Field, LogEntry.Value?)] {
        [(.origin, cause.origin.map { .text($0.description) })] + cause.logFields
            + [(.requestID, cause.requestID.map { .text($0) })]
    }
}
