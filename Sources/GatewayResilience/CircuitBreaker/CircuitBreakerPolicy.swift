public import GatewayCore

/// When a circuit opens, for how long, and what closes it.
///
/// A circuit opens on the first of the triggers that are set: consecutive failures, the share of failures,
/// or the share of slow calls. Consecutive failures detect an unavailable server after few calls; a share
/// detects a server that fails partially.
///
/// ```swift
/// var policy = CircuitBreakerPolicy.standard
/// policy.consecutiveFailures = 8
/// policy.slowAfter = .seconds(2)
/// policy.slowRate = .init(share: 0.8, minimumCalls: 20, window: .seconds(30))
/// ```
public struct CircuitBreakerPolicy: Sendable {
    /// What the outcome of a call says about the server.
    public enum Verdict: String, Hashable, Sendable {
        /// The server is healthy.
        case success
        /// The server failed.
        case failure
        /// No information: the call is not counted. Another probe replaces a probe with this verdict.
        case ignored
    }

    /// A share of the calls in a sliding window.
    public struct Rate: Hashable, Sendable {
        /// The share at which the circuit opens, more than 0 and at most 1.
        public var share: Double
        /// The minimum number of calls in the window, 1 or more.
        public var minimumCalls: Int
        /// The length of the window, 10 ms or more. It moves in steps of a tenth of its length.
        public var window: Duration

        /// Makes a rate.
        public init(share: Double, minimumCalls: Int, window: Duration) {
            self.share = share
            self.minimumCalls = minimumCalls
            self.window = window
        }
    }

    /// The number of consecutive failures that opens the circuit, 1 or more; `nil` disables this trigger.
    public var consecutiveFailures: Int?
    /// The share of failures that opens the circuit; `nil` disables this trigger.
    public var failureRate: Rate?
    /// The duration from which a call is slow, more than zero. It is measured until the whole response has
    /// arrived, or the head of a streamed one.
    public var slowAfter: Duration?
    /// The share of slow calls that opens the circuit; `nil` disables this trigger. Requires ``slowAfter``. A slow probe
    /// counts as failed.
    public var slowRate: Rate?
    /// How long the circuit stays open, ±10 %, 1 ms or longer. Each failed probe doubles it.
    public var openFor: Duration
    /// The maximum time that the circuit stays open.
    public var longestOpen: Duration
    /// The maximum number of concurrent probes of a half-open circuit, 1 to 1,000.
    public var probes: Int
    /// The number of successful probes that close the circuit, 1 or more.
    public var successesToClose: Int
    /// How long a probe may take before it counts as failed, more than zero.
    public var probeLimit: Duration
    /// Judges the outcome of a call. Defaults to ``verdict(of:)``.
    public var classify: @Sendable (AdmissionOutcome) -> Verdict

    /// Makes a policy. The defaults are those of ``standard``.
    public init(
        consecutiveFailures: Int? = 5,
        failureRate: Rate? = Rate(share: 0.5, minimumCalls: 20, window: .seconds(10)),
        slowAfter: Duration? = nil, slowRate: Rate? = nil, openFor: Duration = .seconds(30),
        longestOpen: Duration = .seconds(300), probes: Int = 1, successesToClose: Int = 2,
        probeLimit: Duration = .seconds(10),
        classify: @escaping @Sendable (AdmissionOutcome) -> Verdict = { CircuitBreakerPolicy.verdict(of: $0) }
    ) {
        self.consecutiveFailures = consecutiveFailures
        self.failureRate = failureRate
        self.slowAfter = slowAfter
        self.slowRate = slowRate
        self.openFor = openFor
        self.longestOpen = longestOpen
        self.probes = probes
        self.successesToClose = successesToClose
        self.probeLimit = probeLimit
        self.classify = classify
    }
}

extension CircuitBreakerPolicy {
    /// 5 consecutive failures, or half of at least 20 calls in 10 s; open for 30 s, closed by 2 successes.
    public static let standard = Self()
    /// 3 consecutive failures, or half of at least 20 calls in 10 s; open for 15 s, closed by 1 success.
    public static let aggressive = Self(
        consecutiveFailures: 3, openFor: .seconds(15), successesToClose: 1)
    /// 10 consecutive failures, or half of at least 20 calls in 10 s; open for 60 s, closed by 3 successes.
    public static let conservative = Self(
        consecutiveFailures: 10, openFor: .seconds(60), successesToClose: 3)
    /// For servers that make many calls: 20 consecutive failures, or half of at least 50 calls in 10 s; open for 5 s, up to
    /// 60 s; 3 concurrent probes, closed by 3 successes.
    public static let server = Self(
        consecutiveFailures: 20, failureRate: Rate(share: 0.5, minimumCalls: 50, window: .seconds(10)),
        openFor: .seconds(5), longestOpen: .seconds(60), probes: 3, successesToClose: 3)
}

extension CircuitBreakerPolicy {
    /// The default verdict.
    ///
    /// - Failure: the statuses 502, 503 and 504; errors of resolving, connecting and TLS; lost connections and malformed
    ///   responses; time limits, the call's deadline included, that passed while the request was with the server.
    /// - Ignored: cancelled calls; local rejections (``GatewayCore/GatewayCallError/isLocalRejection``); errors of the
    ///   credential, the request and the configuration; time limits that passed before the request was sent, or while the
    ///   program produced the request body or read the response.
    /// - Success: every other response, 401 and 429 included.
    public static func verdict(of outcome: AdmissionOutcome) -> Verdict {
        switch outcome {
        case .notSent: .ignored
        case .response(let status): verdict(ofStatus: status)
        case .failed(let error): verdict(of: error)
        }
    }

    private static func verdict(ofStatus status: Int) -> Verdict {
        switch status {
        case 502, 503, 504: .failure
        default: .success
        }
    }

    private static func verdict(of error: NetworkError) -> Verdict {
        guard !error.code.isLocalRejection, !error.code.concernsCredential else { return .ignored }
        switch error.code {
        case .cancelled, .invalidURL, .invalidRequest, .misconfigured, .bodyFailed, .bodyNotReplayable:
            return .ignored
        case .unacceptableStatus: return error.status.map(verdict(ofStatus:)) ?? .success
        case .responseTooLarge, .redirectRefused, .decodingFailed: return .success
        case .timeout:
            return switch error.phase {
            case .credential, .queue, .produce, .consume: .ignored
            default: .failure
            }
        default: return .failure
        }
    }
}

extension CircuitBreakerPolicy {
    /// Checks the values.
    ///
    /// - Throws: ``NetworkError`` with code ``NetworkError/misconfigured``; the message names the property.
    public func validate() throws(NetworkError) {
        let require = NetworkError.require
        try require(
            consecutiveFailures != nil || failureRate != nil || slowRate != nil, "consecutiveFailures",
            "must be set, or failureRate or slowRate: without them the circuit never opens")
        try require(consecutiveFailures.map { $0 >= 1 } ?? true, "consecutiveFailures", "must be 1 or more")
        for (rate, property) in [(failureRate, "failureRate"), (slowRate, "slowRate")] {
            guard let rate else { continue }
            try require(
                rate.share > 0 && rate.share <= 1, "\(property).share", "must be more than 0 and at most 1")
            try require(rate.minimumCalls >= 1, "\(property).minimumCalls", "must be 1 or more")
            try require(rate.window >= .milliseconds(10), "\(property).window", "must be 10 ms or more")
        }
        try require(slowRate == nil || slowAfter != nil, "slowAfter", "must be set, because slowRate is")
        try require(slowAfter.map { $0 > .zero } ?? true, "slowAfter", "must be more than zero")
        try require(openFor >= .milliseconds(1), "openFor", "must be 1 ms or longer")
        try require(longestOpen >= openFor, "longestOpen", "must be openFor or longer")
        try require((1...1_000).contains(probes), "probes", "must be 1 to 1,000")
        try require(successesToClose >= 1, "successesToClose", "must be 1 or more")
        try require(probeLimit > .zero, "probeLimit", "must be more than zero")
    }
}
