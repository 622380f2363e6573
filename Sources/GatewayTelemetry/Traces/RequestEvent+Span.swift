import GatewayCore

extension RequestEvent {
    /// The event of the call's span; `nil` if the kind has none. The switch has no default: a new kind of event does not compile
    /// until it is decided.
    var spanEvent: OpenCall.Event? {
        func event(_ name: String, _ attributes: [FinishedSpan.Attribute] = []) -> OpenCall.Event {
            OpenCall.Event(
                name: "gateway." + name, time: time,
                attributes: attributes + (requestID.map { [.init("gateway.request_id", $0)] } ?? []))
        }
        func waited(_ name: String, _ duration: Duration) -> OpenCall.Event {
            event(name, [.init("gateway.duration", duration)])
        }
        switch kind {
        case .deduplicated: return event("coalesced")
        case .credentialWaited(let duration): return waited("token.waited", duration)
        case .rateGateWaited(let duration): return waited("rate_gate.waited", duration)
        case .admissionWaited(let duration): return waited("admission.waited", duration)
        case .retryScheduled(let delay, let status, let error):
            return event("retry", [.init("gateway.delay", delay)] + Self.cause(status, error))
        case .notRetried(let reason, let status, let error):
            return event("not_retried", [.init("gateway.reason", reason.name)] + Self.cause(status, error))
        case .hedged(let delay): return event("hedged", [.init("gateway.delay", delay)])
        case .hedgeDecided(let outcome):
            return event("hedge.decided", [.init("gateway.winner", outcome.rawValue)])
        case .cacheLookedUp(let result):
            return event("cache", [.init("gateway.cache.result", result.rawValue)])
        case .redirected(let status, let target):
            return event(
                "redirected",
                [
                    .init("gateway.status", status), .init("server.address", target.spanHost),
                    .init("server.port", Int(target.port)),
                ])
        case .credentialRejected: return event("credential.rejected")
        case .replayed: return event("replayed")
        // The body fails, and a fallback is used, after the call's span has ended.
        case .started, .rateGateHeld, .attemptStarted, .attemptEnded, .cacheStored, .fallbackUsed,
            .exchanged, .succeeded, .failed, .cancelled, .bodyFailed:
            return nil
        }
    }

    private static func cause(_ status: Int?, _ error: NetworkError.Code?) -> [FinishedSpan.Attribute] {
        guard let text = status.map({ "\($0)" }) ?? error?.name else { return [] }
        return [.init("error.type", text)]
    }
}

extension FailureCause {
    /// What the cause adds to the span of a call whose request is for this origin.
    func spanAttributes(of request: Origin) -> [FinishedSpan.Attribute] {
        var attributes: [FinishedSpan.Attribute] = []
        if let underlying { attributes.append(.init("gateway.cause", underlying.name)) }
        if let phase { attributes.append(.init("gateway.phase", phase.rawValue)) }
        if let status { attributes.append(.init("gateway.status", status)) }
        if let origin, origin != request {
            attributes.append(.init("gateway.failed_origin", origin.description))
        }
        return attributes
    }
}
