import GatewayCore

/// Evaluates attempts.
extension QueueSender {
    /// The maximum size of the response content of an outcome, in bytes.
    static let mostBytes = 64 << 20
    /// The maximum size of content that is read and discarded so that the connection can be reused, in
    /// bytes.
    static let mostIgnoredBytes = 64 << 10

    /// Evaluates a response by its head. The content has no effect, because the server has decided.
    func judged(
        _ response: HTTPResponse, _ lease: QueueLease, _ identity: CredentialIdentity?
    ) async -> Result {
        let verdict = verdict(lease, response.status, response.fields)
        if response.body.bytes != nil {
            return ended(verdict, lease, response.status, response.fields, identity, response: response)
        }
        let isTold = verdict == .done || verdict == .poison
        let content = await Self.content(
            of: response, upToBytes: isTold ? Self.mostBytes : Self.mostIgnoredBytes)
        switch content {
        case .success(let bytes):
            var response = response
            response.body = .bytes(bytes)
            return ended(verdict, lease, response.status, response.fields, identity, response: response)
        case .failure(let error):
            return ended(
                verdict, lease, response.status, response.fields, identity, error: error.reading(response))
        }
    }

    /// Evaluates an attempt without a response.
    func judged(
        _ error: NetworkError, _ lease: QueueLease, _ identity: CredentialIdentity?
    ) -> Result {
        let (reason, sent) = (error.code.name, error.mayHaveBeenSent)
        func ended(
            _ result: QueueCompletion.Result, _ effect: SendGate.Effect, lacksCredential: Bool = false
        ) -> Result {
            Result(
                lease, result, mayHaveBeenSent: sent, reason: reason, effect: effect, error: error,
                lacksCredential: lacksCredential, identity: identity,
                // Whether the layers below have held it back.
                wasBegun: sent || error.attempts > 0 || ![.released, .parked].contains(result))
        }
        switch QueueFailure(error) {
        case .held(let after):
            let isPushback = error.code == NetworkError.overloaded || error.code == NetworkError.rateLimited
            return ended(.released, isPushback ? .pushedBack(after: after) : .unreachable(after: after))
        case .unsent(let after): return ended(postponed(lease, after), .unreachable(after: after))
        case .retry(let after): return ended(postponed(lease, after), .failed)
        case .released: return ended(.released, .unknown)
        case .park: return ended(lease.parked, .unknown)
        case .credentialMissing: return ended(.released, .unknown, lacksCredential: true)
        case .responded(let status):
            let fields = error.response?.fields ?? HTTPFields()
            return self.ended(
                verdict(lease, status, fields), lease, status, fields, identity, error: error)
        case .poison: return ended(.poison, .unknown)
        }
    }

    private func verdict(_ lease: QueueLease, _ status: Int, _ fields: HTTPFields) -> QueueVerdict {
        configuration.verdict(
            QueueVerdict.Facts(
                status: status, fields: fields, wasSentBefore: lease.wasSentBefore,
                unixTime: configuration.clock.unixTime))
    }

    private func ended(
        _ verdict: QueueVerdict, _ lease: QueueLease, _ status: Int, _ fields: HTTPFields,
        _ identity: CredentialIdentity?, response: HTTPResponse? = nil, error: NetworkError? = nil
    ) -> Result {
        var effect = SendGate.Effect.reached
        if [429, 503].contains(status) {
            let after = fields.retryAfter(at: configuration.clock.unixTime)
            effect = after == nil ? .busy : .pushedBack(after: after)
        }
        let result: QueueCompletion.Result =
            switch verdict {
            case .done: .done
            case .retry(let after): postponed(lease, after)
            case .park: lease.parked
            case .poison: .poison
            }
        return Result(
            lease, result, reason: verdict == .done ? error?.code.name : "\(status)", effect: effect,
            response: response, error: error, identity: identity)
    }

    private func postponed(_ lease: QueueLease, _ after: Duration?) -> QueueCompletion.Result {
        let delay = configuration.backoff.delay(
            after: lease.attempt, atLeast: after, random: configuration.random)
        return .postponed(until: QueueTime(configuration.clock).adding(delay))
    }

    /// The content of a response, or the error of reading it.
    static func content(
        of response: HTTPResponse, upToBytes limit: Int
    ) async -> Swift.Result<[UInt8], NetworkError> {
        if let bytes = response.body.bytes { return .success(bytes) }
        do throws(NetworkError) {
            let bytes = try await response.body.collect(upToBytes: limit)
            // Streams may end without an error when their task is cancelled.
            guard !Task.isCancelled else {
                throw NetworkError(.cancelled, "The queue stopped while the response came.")
            }
            return .success(bytes)
        } catch { return .failure(error) }
    }
}

extension QueueLease {
    /// The state of an entry whose account must sign in. Without an account, a sign-in is not possible, and without a
    /// credential it changes nothing.
    fileprivate var parked: QueueCompletion.Result {
        item.account == nil || item.isAnonymous ? .poison : .parked
    }
}

extension NetworkError {
    /// The error of reading the content of a response, with its status.
    fileprivate func reading(_ response: HTTPResponse) -> NetworkError {
        NetworkError(
            code, message, origin: origin ?? response.exchange.origin, phase: phase, limit: limit,
            response: FailedResponse(response), attempts: max(attempts, response.exchange.attempts),
            mayHaveBeenSent: true, underlying: underlying)
    }
}
