import GatewayCore

extension Recovery {
    /// Continues with a credential that also has the scopes that the 403 requires.
    ///
    /// - Returns: whether the call should be sent again.
    @inline(never)
    func stepUp(for request: HTTPRequest) async throws(NetworkError) -> Bool {
        guard let wider = try await widened(for: request) else { return false }
        continues(with: wider)
        return true
    }

    /// A credential that also has the scopes that the 403 requires, if they are allowed and granted.
    ///
    /// Only scope names are read from the challenge. URLs in it are never called.
    ///
    /// - Returns: `nil` if the 403 must be returned to the caller: the challenge has no usable scopes, they were not
    ///   granted, or the body cannot be sent again. In the last case the token is requested nevertheless, for later
    ///   calls.
    private func widened(for request: HTTPRequest) async throws(NetworkError) -> (any CredentialSource)? {
        let composite = source as? any CompositeCredentialSource
        let source = composite?.renewed ?? source
        let bound = source as? BoundCredentialSource
        guard let source = source as? SlotCredentialSource ?? bound?.base, let stepUp = source.reach.stepUp,
            let challenge = response.tokenChallenges.first(where: {
                $0.isScheme(bound == nil ? "Bearer" : "DPoP")
            }) ?? (bound == nil ? nil : response.tokenChallenges.first),
            challenge["error"] == "insufficient_scope",
            let scopes = challenge["scope"],
            let step = stepUp.step(from: source, challenged: scopes.split(separator: " ").map(String.init))
        else { return nil }
        guard request.body.isReplayable else {
            step.source.slot.prefetch(atLeast: 0, epoch: step.source.epoch)
            stepUp.remember(step)
            return nil
        }
        do {
            try await context.waitUntilReady(step.source, atLeast: 0, for: request)
        } catch {
            switch error.code {
            case .cancelled, .timeout, .signedOut: throw error.with(attempts: response.exchange.attempts)
            case .closed where context.isEngineOver:
                throw error.with(attempts: response.exchange.attempts)
            // The API's 403 is more useful to the caller than the token server's error.
            default: return nil
            }
        }
        guard step.isWider else { return nil }
        stepUp.remember(step)
        let wider: any CredentialSource =
            bound.map { BoundCredentialSource(base: step.source, binding: $0.binding) } ?? step.source
        return composite.map { $0.replacing(wider) } ?? wider
    }
}
