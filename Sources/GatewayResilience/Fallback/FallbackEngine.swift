public import GatewayCore

/// An engine that returns an alternative response when a call has failed.
///
/// ```swift
/// let engine = FallbackEngine(
///     below: live, steps: [.engine("replica", replica), .init("maintenance") { request, _, _ in page(request) }])
/// let api = BookshopClient(engine: engine)
/// ```
/// It wraps a whole engine, and sees only final outcomes: after all retries, after the refresh of a token,
/// and after the use of a stale response in place of an error. A cancelled call is final. A final response
/// with one of the statuses is passed to conditions as the error `unacceptableStatus`; if no step replaces
/// it, it is returned unchanged. The sink of the engine below receives `fallbackUsed` for each call that a
/// step replaces.
public struct FallbackEngine<Below: RequestEngine>: RequestEngine {
    /// An alternative source of a response.
    public struct Step: Sendable {
        /// Makes a response. Receives the request, the context of the call, and the error of the step that
        /// ran before.
        public typealias Answer =
            @Sendable (HTTPRequest, RequestContext, NetworkError) async throws(NetworkError) -> HTTPResponse

        let name: String
        let condition: FallbackCondition
        let repeatsRequest: Bool
        let answer: Answer

        /// Creates a step that returns a response without a request.
        ///
        /// - Parameters:
        ///   - name: the name of the step; not a secret.
        ///   - condition: which errors are replaced.
        ///   - answer: makes the response.
        public init(
            _ name: String, when condition: FallbackCondition = .unavailable, _ answer: @escaping Answer
        ) {
            self.init(name, condition, repeatsRequest: false, answer)
        }

        private init(
            _ name: String, _ condition: FallbackCondition, repeatsRequest: Bool, _ answer: @escaping Answer
        ) {
            self.name = name
            self.condition = condition
            self.repeatsRequest = repeatsRequest
            self.answer = answer
        }

        /// A step that sends the request with another engine, using the credentials of that engine.
        ///
        /// It is skipped if the body cannot be sent again, or if the server may have processed the request
        /// and the method is not idempotent.
        public static func engine(
            _ name: String, _ engine: some RequestEngine, when condition: FallbackCondition = .unavailable
        ) -> Step {
            Step(name, condition, repeatsRequest: true) {
                (request, context, _) async throws(NetworkError) in
                try await engine.send(request, context: context)
            }
        }

        func accepts(_ error: NetworkError, _ request: HTTPRequest) -> Bool {
            guard condition.matches(error) else { return false }
            guard repeatsRequest else { return true }
            return request.body.isReplayable && (request.method.isIdempotent || !error.mayHaveBeenSent)
        }
    }

    private let below: Below
    private let steps: [Step]
    private let statuses: Set<Int>
    private let onFallback: (@Sendable (_ step: String, _ error: NetworkError) -> Void)?

    /// Makes a layer above an engine.
    ///
    /// - Parameters:
    ///   - below: the engine of the first attempt.
    ///   - steps: the alternatives, in order.
    ///   - statuses: the statuses of responses that are failures. Defaults to 502, 503 and 504.
    ///   - onFallback: called with the name of each step that returns a response, and the error that it
    ///     replaces; must not block.
    public init(
        below: Below, steps: [Step], replacing statuses: Set<Int> = [502, 503, 504],
        onFallback: (@Sendable (_ step: String, _ error: NetworkError) -> Void)? = nil
    ) {
        self.below = below
        self.steps = steps
        self.statuses = statuses
        self.onFallback = onFallback
    }

    /// The services of the engine below.
    public var services: EngineServices { below.services }

    /// Makes the call, and tries the steps if it fails.
    public func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        let outcome = await Self.outcome(statuses) { () async throws(NetworkError) in
            try await below.send(request, context: context)
        }
        guard let error = outcome.error else { return try outcome.result.get() }
        return try await fallBack(from: outcome.result, error, request, context)
    }

    private func fallBack(
        from result: Result<HTTPResponse, NetworkError>, _ error: NetworkError, _ request: HTTPRequest,
        _ context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        var (result, error) = (result, error)
        for step in steps where step.accepts(error, request) {
            guard !Task.isCancelled else { break }
            let (attempts, mayHaveBeenSent) = (error.attempts, error.mayHaveBeenSent)
            let next = await Self.outcome(statuses) { () async throws(NetworkError) in
                var response = try await step.answer(request, context, error)
                response.exchange.attempts = attempts.addingClamped(response.exchange.attempts)
                return response
            }
            if case .success(let response) = result { response.body.discard() }
            guard let failure = next.error else {
                onFallback?(step.name, error)
                record(step.name, error, request, context)
                return try next.result.get()
            }
            // The attempts are already counted if there is a status.
            let all = failure.status == nil ? attempts.addingClamped(failure.attempts) : failure.attempts
            error = failure.with(attempts: all, mayHaveBeenSent: mayHaveBeenSent)
            result = if case .failure = next.result { .failure(error) } else { next.result }
        }
        return try result.get()
    }

    /// Out of line, because events would enlarge the async frame.
    @inline(never)
    private func record(
        _ step: String, _ error: NetworkError, _ request: HTTPRequest, _ context: RequestContext
    ) {
        var observer = context
        observer.events = EventFork.joining(context.events, services.events?.sink)
        observer.record(.fallbackUsed(step: step, status: error.status, error: error.code), for: request)
    }

    /// The outcome of a call, and the error for the steps; `nil` if nothing is to be replaced.
    private static func outcome(
        _ statuses: Set<Int>, _ body: () async throws(NetworkError) -> HTTPResponse
    ) async -> (result: Result<HTTPResponse, NetworkError>, error: NetworkError?) {
        do throws(NetworkError) {
            let response = try await body()
            guard statuses.contains(response.status) else { return (.success(response), nil) }
            let error = NetworkError(
                .unacceptableStatus, "The response has the status \(response.status).",
                origin: response.exchange.origin, status: response.status,
                attempts: response.exchange.attempts, mayHaveBeenSent: true)
            return (.success(response), error)
        } catch {
            return (.failure(error), error)
        }
    }
}

extension FallbackEngine: Redacted {}

extension FallbackEngine.Step: Redacted {
    /// The name of the step.
    public var description: String { "fallback step \(name)" }
}
