import GatewayCore

// The switches here have no default: a new kind of event does not compile until its line is defined.

extension RequestEvent {
    /// The level of the event's line.
    var logLevel: JSONLogSink.Level {
        switch kind {
        case .started, .deduplicated, .credentialWaited, .attemptStarted, .attemptEnded, .redirected,
            .exchanged, .rateGateHeld, .rateGateWaited, .admissionWaited, .hedged, .hedgeDecided,
            .cacheLookedUp, .cacheStored:
            .debug
        case .retryScheduled, .fallbackUsed, .bodyFailed: .warning
        case .notRetried(let reason, _, _):
            switch reason {
            case .deadline, .rateGate, .budget: .warning
            case .policy, .notReplaySafe, .bodyNotReplayable, .credential: .debug
            }
        case .credentialRejected, .replayed, .cancelled: .info
        case .succeeded(let status, _, _): status < 400 ? .info : .warning
        case .failed: .error
        }
    }

    /// The event's line.
    var logEntry: LogEntry {
        let common: [(JSONLogSink.Field, LogEntry.Value?)] = [
            (.callID, .text(callID.hexadecimal)), (.operation, operation.map { .text($0.id) }),
            (.template, operation.flatMap { $0.template.isEmpty ? nil : .text($0.template) }),
            (.method, .text(method.rawValue)), (.origin, .text(origin.description)),
            (.attempt, isEnd ? nil : .integer(attempt.number)), (.requestID, requestID.map { .text($0) }),
        ]
        let (name, fields) = specific
        return LogEntry(logLevel, name, trace: trace, common + fields)
    }

    /// Whether the line is about the whole call, with the number of its attempts.
    private var isEnd: Bool {
        switch kind {
        case .succeeded, .failed, .cancelled: true
        default: false
        }
    }

    private var specific: (String, [(JSONLogSink.Field, LogEntry.Value?)]) {
        switch kind {
        case .started: return ("started", [])
        case .deduplicated: return ("deduplicated", [])
        case .credentialWaited(let time): return ("credential_waited", [(.waited, time.logMilliseconds)])
        case .rateGateHeld(let time): return ("rate_gate_held", [(.delay, time.logMilliseconds)])
        case .rateGateWaited(let time): return ("rate_gate_waited", [(.waited, time.logMilliseconds)])
        case .admissionWaited(let time): return ("admission_waited", [(.waited, time.logMilliseconds)])
        case .hedged(let time): return ("hedged", [(.delay, time.logMilliseconds)])
        case .hedgeDecided(let outcome): return ("hedge_decided", [(.winner, .text(outcome.rawValue))])
        case .cacheLookedUp(let result): return ("cache_looked_up", [(.cache, .text(result.rawValue))])
        case .cacheStored(let bytes): return ("cache_stored", [(.bytes, .integer(bytes))])
        case .fallbackUsed(let step, let status, let error):
            return ("fallback_used", [(.step, .text(step))] + Self.cause(status, error))
        case .attemptStarted:
            return ("attempt_started", [(.attemptReason, .text(attempt.reason.rawValue))])
        case .attemptEnded(let end):
            let duration: (JSONLogSink.Field, LogEntry.Value?) = (
                .duration, end.duration.map(\.logMilliseconds)
            )
            switch end.outcome {
            case .response(let status): return ("attempt_ended", [(.status, .integer(status)), duration])
            case .error(let code, let phase):
                return (
                    "attempt_ended",
                    [(.error, .text(code.name)), (.phase, phase.map { .text($0.rawValue) }), duration]
                )
            }
        case .retryScheduled(let delay, let status, let error):
            return ("retry_scheduled", Self.cause(status, error) + [(.delay, delay.logMilliseconds)])
        case .notRetried(let reason, let status, let error):
            return ("not_retried", Self.cause(status, error) + [(.reason, .text(reason.name))])
        case .redirected(let status, let target):
            return ("redirected", [(.status, .integer(status)), (.target, .text(target.description))])
        case .credentialRejected(let generation):
            return ("credential_rejected", [(.generation, .integer(Int(clamping: generation)))])
        case .replayed(let generation):
            return ("replayed", [(.generation, .integer(Int(clamping: generation)))])
        case .exchanged(let timings):
            return (
                "exchanged",
                [(.waited, timings.queue.logMilliseconds), (.duration, timings.total.logMilliseconds)]
            )
        case .succeeded(let status, let attempts, let duration):
            return ("succeeded", [(.status, .integer(status))] + Self.end(attempts, duration))
        case .failed(let cause, let attempts, let duration):
            // The origin of the line is that of the request.
            let failed = cause.origin.flatMap { $0 == origin ? nil : LogEntry.Value.text($0.description) }
            return (
                "failed", cause.logFields + [(.failedOrigin, failed)] + Self.end(attempts, duration)
            )
        case .bodyFailed(let cause): return ("body_failed", cause.logFields)
        case .cancelled(let attempts, let duration): return ("cancelled", Self.end(attempts, duration))
        }
    }

    private static func cause(
        _ status: Int?, _ error: NetworkError.Code?
    ) -> [(JSONLogSink.Field, LogEntry.Value?)] {
        [(.status, status.map { .integer($0) }), (.error, error.map { .text($0.name) })]
    }

    private static func end(_ attempts: Int, _ duration: Duration) -> [(JSONLogSink.Field, LogEntry.Value?)] {
        [(.attempts, .integer(attempts)), (.duration, duration.logMilliseconds)]
    }

    /// Whether the event is among this share of calls. All events of a trace are, or none: the share is that of the last 56
    /// bits of its ID, as OpenTelemetry's samplers use them. Calls without a trace have their own ID for it.
    func isSampled(_ share: Double) -> Bool {
        guard share < 1 else { return true }
        let number = (trace?.traceIDLow ?? callID) & 0xFF_FFFF_FFFF_FFFF
        return Double(number) >= (1 - share) * 72_057_594_037_927_936
    }
}

extension FailureCause {
    /// What the cause adds to a line, without its origin and the ID of its request.
    var logFields: [(JSONLogSink.Field, LogEntry.Value?)] {
        [
            (.status, status.map { .integer($0) }), (.error, .text(code.name)),
            (.cause, underlying.map { .text($0.name) }), (.serverError, serverCode.map { .text($0) }),
            (.phase, phase.map { .text($0.rawValue) }),
        ]
    }
}
