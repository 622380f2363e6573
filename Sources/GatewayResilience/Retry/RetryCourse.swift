import GatewayCore

/// The attempts of a call after the first one has failed.
final class RetryCourse {
    /// The result of the last attempt, with the number of all attempts.
    private(set) var result: Result<HTTPResponse, NetworkError>
    /// The result of the last attempt that was made; `nil` if that is ``result``, or if none was made.
    private var earlier: Result<HTTPResponse, NetworkError>?
    /// Whether the last attempt was made.
    private var isMade: Bool
    /// The context of the next attempt.
    private(set) var context: RequestContext
    /// Whether the next attempt waits in the rate gate instead of for its delay.
    var waitsInGate = false
    /// The number of the last attempt, from 1.
    private(set) var attempt = 1
    /// The number of attempts so far, including those of the layers below.
    private(set) var made = 0
    /// Whether any of the attempts may have reached the server.
    private(set) var mayHaveBeenSent = false
    /// The number of the first attempt within the call.
    private let first: Int

    init(_ result: Result<HTTPResponse, NetworkError>, _ context: RequestContext) {
        self.result = result
        isMade = result.isOfMadeAttempt
        self.context = context
        first = context.attempt.number
    }

    /// The error of the last attempt, if it has no response.
    var error: NetworkError? {
        if case .failure(let error) = result { return error }
        return nil
    }

    /// The header fields of the last response, for events; `nil` if the last attempt has none.
    var answer: HTTPFields? {
        switch result {
        case .success(let response): response.fields
        case .failure(let error): error.response?.fields
        }
    }

    /// Ends an attempt after the first.
    func end(_ next: Result<HTTPResponse, NetworkError>) {
        let wasMade = isMade
        isMade = next.isOfMadeAttempt
        if isMade { earlier = nil } else if wasMade { earlier = result }
        result = next
    }

    /// Ends the call. If the last attempt was not made, its result is that of the one before it.
    ///
    /// - Parameter wait: the delay before the next attempt, if the deadline leaves no time for it.
    func finish(unmetDelay wait: Duration? = nil) {
        var wait = wait
        if let earlier, case .failure(let rejection) = result {
            if case .success(let response) = earlier, response.body.bytes == nil {
                // Its content was discarded before the delay.
                result = .failure(rejection.with(response: FailedResponse(response)))
            } else {
                result = earlier
                if rejection.limit == .call { wait = wait ?? rejection.retryAfter ?? .zero }
            }
        }
        guard let wait else { return }
        switch result {
        case .success(var response):
            response.exchange.unmetDelay = wait
            result = .success(response)
        case .failure(let error): result = .failure(error.with(unmetDelay: wait))
        }
    }

    /// Counts the last attempt.
    func count() {
        switch result {
        case .success(var response):
            made = made.addingClamped(response.exchange.attempts)
            mayHaveBeenSent = true
            response.exchange.attempts = made
            // A hedge already has a different number.
            response.exchange.attemptNumber = response.exchange.attemptNumber ?? context.attempt.number
            result = .success(response)
        case .failure(let error):
            made = made.addingClamped(error.attempts)
            mayHaveBeenSent = mayHaveBeenSent || error.mayHaveBeenSent
            result = .failure(error.with(attempts: made, mayHaveBeenSent: mayHaveBeenSent))
        }
    }

    /// Begins the next attempt.
    func beginAttempt() {
        context.attempt = AttemptInfo(number: first.addingClamped(max(made, attempt)), reason: .retry)
        // All kept connections may be stale, as after a restart of the server. Not after the first loss, so
        // that the requests of one lost HTTP/2 connection share the next one.
        context.opensConnection = attempt > 1 && error?.code == .connectionLost
        attempt += 1
    }
}

extension Result<HTTPResponse, NetworkError> {
    /// Whether an attempt was made: the client rejected no retry, and the deadline has not ended its waits. A cancelled
    /// task and a shutdown end the whole call, and so do errors of the credential.
    var isOfMadeAttempt: Bool {
        guard case .failure(let error) = self, error.attempts == 0, !error.mayHaveBeenSent else {
            return true
        }
        if error.code == .timeout { return error.limit != .call }
        return !error.code.isLocalRejection || error.code == .closed || error.code.concernsCredential
    }
}
