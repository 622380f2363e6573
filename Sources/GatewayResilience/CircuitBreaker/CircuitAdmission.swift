import GatewayCore

/// Guards attempts by the circuit breakers of a registry.
///
/// It is above another admission control, such as a bulkhead: a call is rejected before it waits there, and
/// takes its ticket after the wait, so that a probe does not wait in a queue, and nothing is sent if the
/// circuit opened during the wait.
struct CircuitAdmission: AdmissionControl {
    let registry: CircuitBreakerRegistry
    /// Entered between the check and the ticket; `nil` for none.
    let inner: (any AdmissionControl)?

    func enterNow(
        _ request: HTTPRequest, context: RequestContext
    ) throws(NetworkError) -> (any AdmissionPermit)? {
        guard let breaker = registry.breaker(guarding: request.origin, context) else {
            guard let inner else { return UnguardedPermit() }
            return try inner.enterNow(request, context: context)
        }
        // A hedge is not used as a probe, and a server that is being probed gets no hedges.
        if context.attempt.reason == .hedge, !breaker.isClosed {
            throw NetworkError(
                .circuitOpen, "The circuit \"\(breaker.name)\" is not closed: there is no hedge.",
                origin: request.origin)
        }
        guard let inner else { return try breaker.enter(request.origin) }
        try breaker.check(request.origin)
        return try inner.enterNow(request, context: context).map { permit throws(NetworkError) in
            try joint(permit, breaker, request)
        }
    }

    func enter(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> any AdmissionPermit {
        guard let breaker = registry.breaker(guarding: request.origin, context) else {
            return try await inner?.enter(request, context: context) ?? UnguardedPermit()
        }
        guard let inner else { return try breaker.enter(request.origin) }
        try breaker.check(request.origin)
        return try joint(
            try await inner.enter(request, context: context, by: breaker), breaker, request)
    }

    func priorityRaised(_ context: RequestContext) { inner?.priorityRaised(context) }

    /// Takes a ticket for an attempt that has waited.
    private func joint(
        _ permit: any AdmissionPermit, _ breaker: CircuitBreaker, _ request: HTTPRequest
    ) throws(NetworkError) -> JointPermit {
        do {
            return JointPermit(try breaker.enter(request.origin), permit)
        } catch {
            permit.end(.notSent)
            throw error
        }
    }
}

extension AdmissionControl {
    /// Waits for a permit. Waiters in a bulkhead are rejected when the circuit breaker that guards them
    /// opens.
    fileprivate func enter(
        _ request: HTTPRequest, context: RequestContext, by breaker: CircuitBreaker
    ) async throws(NetworkError) -> any AdmissionPermit {
        if let bulkhead = self as? Bulkhead {
            return try await bulkhead.enter(request, context: context, guardedBy: breaker)
        }
        guard let chain = self as? AdmissionChain else {
            return try await enter(request, context: context)
        }
        let permit = try await chain.first.enter(request, context: context, by: breaker)
        do {
            return JointPermit(try await chain.second.enter(request, context: context, by: breaker), permit)
        } catch {
            permit.end(.notSent)
            throw error
        }
    }
}

extension CircuitBreaker {
    /// Whether this circuit and that of its host are closed.
    var isClosed: Bool { state == .closed && host?.state ?? .closed == .closed }

    /// Rejects an attempt that would not be admitted. Takes no ticket.
    func check(_ origin: Origin) throws(NetworkError) {
        let now = clock.now
        if let host, let rejection = host.peek(at: now) {
            throw host.error(rejection, at: now, origin: origin)
        }
        if let rejection = peek(at: now) { throw error(rejection, at: now, origin: origin) }
    }

    /// Admits an attempt by this breaker and the breaker of its host.
    func enter(_ origin: Origin) throws(NetworkError) -> CircuitPermit {
        let now = clock.now
        var hostTicket: CircuitStateMachine.Ticket?
        if let host {
            switch host.admit(at: now) {
            case .admitted(let ticket): hostTicket = ticket
            case .rejected(let rejection): throw host.error(rejection, at: now, origin: origin)
            }
        }
        switch admit(at: now) {
        case .admitted(let ticket): return CircuitPermit(self, ticket, host: hostTicket, at: now)
        case .rejected(let rejection):
            if let host, let hostTicket { host.settle(hostTicket, .ignored, after: nil, at: now) }
            throw error(rejection, at: now, origin: origin)
        }
    }
}

/// The tickets of an attempt. Three words, so that an existential stores it inline.
struct CircuitPermit: AdmissionPermit {
    private let breaker: CircuitBreaker
    /// The time of the admission in milliseconds, from the start of the breaker. It wraps around after 49 days.
    private let begin: UInt32
    private let period: UInt32
    private let hostPeriod: UInt32
    private let probe: UInt16
    private let hostProbe: UInt16

    /// - Parameter host: the ticket of the host's breaker, if the breaker has one.
    init(
        _ breaker: CircuitBreaker, _ ticket: CircuitStateMachine.Ticket,
        host: CircuitStateMachine.Ticket?, at now: ContinuousClock.Instant
    ) {
        self.breaker = breaker
        begin = breaker.milliseconds(at: now)
        period = ticket.period
        probe = ticket.probe
        hostPeriod = host?.period ?? 0
        hostProbe = host?.probe ?? 0
    }

    private var ticket: CircuitStateMachine.Ticket { .init(period: period, probe: probe) }

    func end(_ outcome: AdmissionOutcome) {
        let now = breaker.clock.now
        let counts = settleHost(outcome, at: now)
        breaker.settle(
            ticket, counts ? breaker.verdict(of: outcome) : .ignored, after: duration(at: now), at: now)
    }

    /// The head of the response completes a probe, and a failure. Otherwise the body may still fail.
    func responded(status: Int) -> (any AdmissionPermit)? {
        let now = breaker.clock.now
        _ = settleHost(.response(status: status), at: now)
        let verdict = breaker.verdict(of: .response(status: status))
        guard probe == 0, verdict == .success else {
            breaker.settle(ticket, verdict, after: duration(at: now), at: now)
            return nil
        }
        return CircuitBodyPermit(
            breaker: breaker, period: period, milliseconds: breaker.milliseconds(at: now) &- begin)
    }

    /// Records the outcome in the host's breaker, which counts failures to connect. Returns whether the
    /// operation's breaker counts the outcome.
    private func settleHost(_ outcome: AdmissionOutcome, at now: ContinuousClock.Instant) -> Bool {
        guard let host = breaker.host else { return true }
        var isConnecting = false
        let verdict: CircuitBreakerPolicy.Verdict
        switch outcome {
        case .response: verdict = .success
        case .notSent: verdict = .ignored
        case .failed(let error):
            isConnecting = error.isConnecting
            verdict = isConnecting ? host.verdict(of: outcome) : .ignored
        }
        host.settle(.init(period: hostPeriod, probe: hostProbe), verdict, after: nil, at: now)
        return !isConnecting
    }

    private func duration(at now: ContinuousClock.Instant) -> Duration {
        .milliseconds(breaker.milliseconds(at: now) &- begin)
    }
}

/// The ticket of a streamed response whose body is being read.
private struct CircuitBodyPermit: AdmissionPermit {
    let breaker: CircuitBreaker
    let period: UInt32
    /// The time from the admission to the head of the response.
    let milliseconds: UInt32

    func end(_ outcome: AdmissionOutcome) {
        breaker.settle(
            .init(period: period, probe: 0), breaker.verdict(of: outcome),
            after: .milliseconds(milliseconds), at: breaker.clock.now)
    }
}

extension CircuitBreaker {
    /// The milliseconds from the start of the breaker, wrapped around.
    fileprivate func milliseconds(at now: ContinuousClock.Instant) -> UInt32 {
        UInt32(truncatingIfNeeded: start.duration(to: now).wholeMilliseconds)
    }
}
