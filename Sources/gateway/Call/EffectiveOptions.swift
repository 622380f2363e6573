import GatewayClient

/// The options of a call as they are in effect, and where each comes from: an option of the command, a variable, or the
/// default.
struct EffectiveOptions {
    /// One option: `deadline`, `60 s`, `default`.
    struct Entry {
        let name: String
        let value: String
        let source: String

        var text: String { "\(name): \(value) (\(source))" }
    }

    let arguments: CallArguments
    let environment: GatewayEnvironment
    let configuration: GatewayConfiguration

    /// When the call must have ended, after its start; `nil` for no deadline.
    var deadline: Duration? { arguments.options.deadline ?? configuration.deadline }

    /// The policy of the call.
    var retry: ExponentialRetryPolicy? {
        configuration.retry.policy as? ExponentialRetryPolicy
    }

    /// Whether there is a retry budget.
    var hasBudget: Bool { configuration.retry.budget != nil }

    /// All options.
    ///
    /// - Parameter request: the request of the call.
    func entries(_ request: HTTPRequest) -> [Entry] {
        var entries = CallOption.allCases.flatMap { self.entries(of: $0, request) }
        entries.append(
            Entry(
                name: "redirects", value: "up to \(configuration.redirects.maximumHops)", source: "default"))
        entries.append(
            Entry(
                name: "protocol",
                value: configuration.transport.httpVersion == .http2
                    ? "HTTP/2 if the server offers it" : "HTTP/1.1",
                source: source(["GATEWAY_HTTP_VERSION"])))
        if let proxy = configuration.transport.proxy {
            entries.append(
                Entry(name: "proxy", value: "\(proxy.host):\(proxy.port)", source: "GATEWAY_PROXY"))
        }
        entries.append(credential(request.origin))
        return entries
    }

    /// What is in effect of an option of calls.
    private func entries(of option: CallOption, _ request: HTTPRequest) -> [Entry] {
        let given = arguments.options
        func entry(_ name: String, _ value: String?, _ source: String) -> [Entry] {
            [Entry(name: name, value: value ?? "none", source: source)]
        }
        switch option {
        case .deadline:
            let source = source("--timeout", given.deadline != nil, ["GATEWAY_DEADLINE"])
            return entry("deadline", deadline.map(Timeline.text), source)
        case .retry:
            return entry("retries", retry.map(Self.text) ?? "as the policy decides", retrySource)
        case .idempotencyKey:
            let source = source("--idempotency-key", given.idempotencyKey != nil, [])
            return entry("repeated methods", Self.repeats(request, retry), source)
        case .isLimitedByRetryBudget:
            let source = source(["GATEWAY_RETRY_BUDGET"])
            return entry("retry budget", configuration.retry.budget.map(Self.text), source)
        case .isHedged:
            return entry(
                "hedging", configuration.protection.hedging.map(Self.text), source(["GATEWAY_HEDGING"]))
        case .cache:
            guard configuration.cache != nil || given.cache != nil else { return [] }
            let place = configuration.cache.map { $0.store.isDurable ? ", in a file" : ", in memory" }
            return entry(
                "cache", (given.cache ?? .standard).rawValue + (place ?? ", nothing is stored here"),
                source("--cache", given.cache != nil, ["GATEWAY_CACHE"]))
        case .limits:
            let timeouts = configuration.transport.timeouts
            return [
                ("queue", timeouts.queue, nil), ("connect", timeouts.connect, "GATEWAY_CONNECT_TIMEOUT"),
                ("first byte", timeouts.firstByte, "GATEWAY_READ_TIMEOUT"),
                ("read", timeouts.read, "GATEWAY_READ_TIMEOUT"),
                ("write", timeouts.write, "GATEWAY_WRITE_TIMEOUT"),
                ("attempt", timeouts.whole, "GATEWAY_ATTEMPT_TIMEOUT"),
            ].flatMap { (name: String, limit: Duration, variable: String?) in
                let variables = (variable.map { [$0] } ?? []) + ["GATEWAY_TIMEOUTS"]
                return entry("\(name) timeout", Timeline.text(limit), source(variables))
            }
        case .rateGate:
            guard let wait = configuration.protection.rateGate?.policy.longestWait else { return [] }
            return entry(
                "rate gate", "calls wait up to \(Timeline.text(wait))", source(["GATEWAY_RATE_GATE"]))
        // Parts of the request, and what the command neither sets nor configures.
        case .fields, .query, .responseLimit, .jsonValueLimit, .priority, .trace, .circuitBreaker,
            .isLimitedByBulkhead, .isBackground:
            return []
        }
    }

    /// Whether a credential is sent to an origin, and why.
    func credential(_ origin: Origin) -> Entry {
        guard environment.tokenKey != nil else {
            return Entry(name: "credential", value: "none", source: "no variable describes one")
        }
        guard environment.origins.contains(origin) else {
            return Entry(
                name: "credential", value: "not sent to \(origin)",
                source: "in neither GATEWAY_BASE_URL nor GATEWAY_ORIGINS")
        }
        return Entry(
            name: "credential", value: "sent to \(origin)",
            source: environment.baseURL?.origin == origin ? "GATEWAY_BASE_URL" : "GATEWAY_ORIGINS")
    }

    // MARK: Sources

    private func source(_ option: String, _ isSet: Bool, _ variables: [String]) -> String {
        isSet ? option : source(variables)
    }

    /// The number of retries and the preset may come from two places.
    private var retrySource: String {
        let count = source("--retries", arguments.retries != nil, ["GATEWAY_RETRIES"])
        guard environment.isSet("GATEWAY_RETRY_POLICY") else { return count }
        return count == "default" ? "GATEWAY_RETRY_POLICY" : "\(count), GATEWAY_RETRY_POLICY"
    }

    /// The first of some variables that is set.
    private func source(_ variables: [String]) -> String {
        variables.first(where: environment.isSet) ?? "default"
    }

    // MARK: Texts

    private static func text(_ policy: ExponentialRetryPolicy) -> String {
        let attempts = policy.maximumAttempts
        guard attempts > 1 else { return "none" }
        let statuses = policy.retryableStatuses.sorted().map(String.init).joined(separator: ", ")
        return "up to \(attempts - 1), after \(text(policy.backoff))\(text(policy.jitter)); "
            + "statuses \(statuses) and transient errors"
    }

    private static func text(_ backoff: Backoff) -> String {
        switch backoff {
        case .immediate: "no delay"
        case .fixed(let delay): Timeline.text(delay)
        case .linear(let base, let cap): "\(Timeline.text(base)) more each time up to \(Timeline.text(cap))"
        case .exponential(let base, let cap): "\(Timeline.text(base)) doubled up to \(Timeline.text(cap))"
        }
    }

    private static func text(_ jitter: Jitter) -> String {
        switch jitter {
        case .none: ""
        case .full: " with full jitter"
        case .proportional(let share): " ±\(percent(share))"
        case .additive(let share): " +0 to \(percent(share))"
        }
    }

    private static func text(_ policy: HedgingPolicy) -> String {
        "a second GET or HEAD after the slowest \(percent(1 - policy.percentile)) of latencies, at least "
            + "\(Timeline.text(policy.minimumDelay)); \(percent(policy.maximumShare)) of requests"
    }

    private static func text(_ budget: RetryBudget) -> String {
        "\(percent(budget.share)) of requests and \(Int(budget.perSecond)) per second, \(budget.reserve) saved up"
    }

    private static func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }

    private static func repeats(_ request: HTTPRequest, _ policy: ExponentialRetryPolicy?) -> String {
        if request.fields.contains(.idempotencyKey) { return "\(request.method), by its idempotency key" }
        if request.method.isIdempotent { return "\(request.method), which is idempotent" }
        return "\(request.method) only if the server cannot have received it"
    }
}
