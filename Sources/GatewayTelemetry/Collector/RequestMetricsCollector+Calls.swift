public import GatewayCore

extension RequestMetricsCollector {
    /// Counts an event of a call.
    public func record(_ event: borrowing RequestEvent) {
        // What the closures need is taken out first: a copy of the whole event takes longer than to count it.
        switch event.kind {
        case .started:
            let (operation, time) = (event.operation, time(of: event.time))
            change { $0.update(operation) { $0.begin(at: time) } }
        case .attemptStarted:
            let key = ActiveKey(event)
            change { $0.attempts.update(key, from: .init()) { $0.begin() } }
        case .attemptEnded(let end): record(end, of: event)
        case .succeeded(let status, _, let duration): record(.status(status), duration, of: event)
        case .failed(let cause, _, let duration):
            record(CallSeriesKey.Outcome(cause.code), duration, of: event)
        case .cancelled(_, let duration): record(.cancelled, duration, of: event)
        case .exchanged(let timings):
            let (key, waited) = (ActiveKey(event), timings.queue.metricNanoseconds)
            change { $0.queueTimes.update(key, from: HistogramSeries()) { $0.record(nanoseconds: waited) } }
        case .deduplicated:
            count(event, .count(.coalesced, event.operationLabels)) { $0.deduplicated &+= 1 }
        case .retryScheduled(let delay, let status, let error):
            let cause = status.map { "\($0)" } ?? error?.name ?? ""
            count(event, .duration(.retryDelay, event.origin.metricLabels + [cause], delay)) {
                $0.retries &+= 1
            }
        case .replayed: count(event, .count(.replays, event.origin.metricLabels)) { $0.replays &+= 1 }
        case .credentialWaited(let duration): add(.duration(.tokenWait, event.origin.metricLabels, duration))
        case .rateGateHeld: add(.count(.heldCalls, event.origin.metricLabels))
        case .rateGateWaited(let duration):
            add(.duration(.rateGateWait, event.origin.metricLabels, duration))
        case .admissionWaited(let duration):
            add(.duration(.admissionWait, event.origin.metricLabels, duration))
        case .hedged: add(.count(.hedges, event.origin.metricLabels))
        case .hedgeDecided(let outcome):
            add(.count(.hedgeDecisions, event.origin.metricLabels + [outcome.rawValue]))
        case .cacheLookedUp(let result):
            add(.count(.cacheLookups, event.origin.metricLabels + [result.rawValue]))
        case .cacheStored: add(.count(.storedResponses, event.origin.metricLabels))
        case .fallbackUsed(let step, _, let error):
            add(.count(.fallbacks, event.origin.metricLabels + [step, error.name]))
        case .notRetried(let reason, _, _):
            add(.count(.refusedRetries, event.origin.metricLabels + [reason.name]))
        case .redirected: add(.count(.redirects, event.origin.metricLabels))
        case .bodyFailed(let cause):
            add(.count(.bodyFailures, event.origin.metricLabels + [cause.code.name]))
        case .credentialRejected: add(.count(.rejectedCredentials, event.origin.metricLabels))
        }
    }

    private func add(_ measurement: Measurement) { change { $0.add(measurement) } }

    /// Counts an event by an instrument and in the metrics of its operation.
    private func count(
        _ event: borrowing RequestEvent, _ measurement: Measurement,
        _ change: @Sendable (inout RequestMetrics) -> Void
    ) {
        let (operation, time) = (event.operation, time(of: event.time))
        self.change { state in
            state.update(operation) { $0.update(at: time, change) }
            state.add(measurement)
        }
    }

    /// Counts the end of a call.
    private func record(
        _ outcome: CallSeriesKey.Outcome, _ duration: Duration, of event: borrowing RequestEvent
    ) {
        let key = CallSeriesKey(event, outcome)
        let sample = DurationHistogram.Sample(nanoseconds: duration.metricNanoseconds)
        let time = time(of: event.time)
        let exemplar = exemplar(at: event.trace)
        change { state in
            state.update(key.operation) { $0.end(outcome, sample, at: time) }
            state.calls.update(key, from: HistogramSeries()) { $0.record(sample, exemplar) }
        }
    }

    /// Counts the end of an attempt. One that was not sent is no request.
    private func record(_ end: AttemptEnd, of event: borrowing RequestEvent) {
        let (key, reason, nanoseconds) = (
            ActiveKey(event), event.attempt.reason, end.duration?.metricNanoseconds
        )
        let outcome: CallSeriesKey.Outcome =
            switch end.outcome {
            case .response(let status): .status(status)
            case .error(let code, _): CallSeriesKey.Outcome(code, status: end.receivedStatus)
            }
        let series = CallSeriesKey(event, outcome)
        let trace = event.trace
        let exemplar = exemplar(at: end.span?.position ?? trace)
        change { state in
            state.attempts.update(key, from: .init()) { $0.end(reason, wasSent: nanoseconds != nil) }
            guard let nanoseconds else { return }
            state.requests.update(series, from: HistogramSeries()) {
                $0.record(nanoseconds: nanoseconds, exemplar)
            }
        }
    }

    /// The position of a call or an attempt with the time, if its trace is sampled.
    private func exemplar(at position: TraceContext?) -> HistogramSeries.Source? {
        guard let position, position.isSampled else { return nil }
        return HistogramSeries.Source(
            traceIDHigh: position.traceIDHigh, traceIDLow: position.traceIDLow, spanID: position.spanID,
            unixTime: clock.unixTime)
    }
}

extension RequestEvent {
    fileprivate var operationLabels: [String] {
        origin.metricLabels + [method.metricName.rawValue, operation?.id ?? ""]
    }
}

extension RetryRefusal {
    /// The reason as metrics and logs name it.
    package var name: String {
        switch self {
        case .policy: "policy"
        case .deadline: "deadline"
        case .rateGate: "rate_gate"
        case .budget: "budget"
        case .notReplaySafe: "not_replay_safe"
        case .bodyNotReplayable: "body_not_replayable"
        case .credential: "credential"
        }
    }
}
