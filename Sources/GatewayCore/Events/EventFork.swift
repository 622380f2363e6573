/// Sends events to two sinks.
package final class EventFork: EventDistributing {
    private let first: any RequestEventSink
    private let second: any RequestEventSink
    /// Those of both sinks. An ID goes to both.
    package let requestIDFields: [HTTPField.Name]

    package init(_ first: any RequestEventSink, _ second: any RequestEventSink) {
        self.first = first
        self.second = second
        let (names, others) = (first.requestIDFields, second.requestIDFields)
        requestIDFields = names + others.filter { !names.contains($0) }
    }

    /// One sink for all given sinks; `nil` if there are none. A sink that is part of the other one receives no event twice.
    package static func joining(
        _ first: (any RequestEventSink)?, _ second: (any RequestEventSink)?
    ) -> (any RequestEventSink)? {
        guard let first, let second else { return first ?? second }
        if has(second, first) { return second }
        return has(first, second) ? first : EventFork(first, second)
    }

    private static func has(_ sink: any RequestEventSink, _ part: any RequestEventSink) -> Bool {
        if sink === part { return true }
        guard let fork = sink as? EventFork else { return false }
        return has(fork.first, part) || has(fork.second, part)
    }

    package var receivers: [any RequestEventSink] { [first, second] }

    package var interests: EventInterests { first.interests.union(second.interests) }

    package var instrument: (any AttemptInstrument)? { first.instrument ?? second.instrument }

    package func record(_ event: borrowing RequestEvent) {
        let interest = event.kind.interest
        if first.interests.contains(interest) { first.record(event) }
        if second.interests.contains(interest) { second.record(event) }
    }

    package func record(_ event: borrowing TokenEvent) {
        if first.interests.contains(.tokens) { first.record(event) }
        if second.interests.contains(.tokens) { second.record(event) }
    }

    package func record(_ event: borrowing StateEvent) {
        if first.interests.contains(.state) { first.record(event) }
        if second.interests.contains(.state) { second.record(event) }
    }

    package func flush() async {
        await first.flush()
        await second.flush()
    }
}

extension RequestEvent.Kind {
    /// The interest that a sink must have to receive the event.
    package var interest: EventInterests {
        switch self {
        case .attemptStarted, .attemptEnded: .attempts
        case .exchanged: .exchanges
        case .started, .deduplicated, .credentialWaited, .retryScheduled, .notRetried, .redirected,
            .credentialRejected, .replayed, .rateGateHeld, .rateGateWaited, .admissionWaited, .hedged,
            .hedgeDecided, .cacheLookedUp, .cacheStored, .fallbackUsed, .succeeded, .failed, .cancelled,
            .bodyFailed:
            .calls
        }
    }
}
