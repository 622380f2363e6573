public import GatewayCore

/// How a ``SimulatedNetwork`` handles exchanges.
///
/// The named profiles use the latency and loss of Apple's Network Link Conditioner. Bandwidth is not simulated; for
/// that see ``ChaosProxy``.
public struct NetworkProfile: Sendable {
    /// How an exchange fails.
    @nonexhaustive
    public enum Failure: Hashable, Sendable, CaseIterable {
        /// There is no route: ``GatewayCore/NetworkError/noConnection``. Nothing was sent.
        case noConnection
        /// The name cannot be resolved: ``GatewayCore/NetworkError/dnsFailure``. Nothing was sent.
        case dnsFailure
        /// The host refuses the connection: ``GatewayCore/NetworkError/connectionRefused``. Nothing was sent.
        case connectionRefused
        /// Connecting gets no answer: ``GatewayCore/NetworkError/timeout`` at the limit for connecting (10 s, unless
        /// the call has one), the limit of the attempt or the deadline. Nothing was sent.
        case connectionTimeout
        /// The connection is lost while the request is sent: ``GatewayCore/NetworkError/connectionLost``. The request
        /// is not received, but the client cannot know that.
        case requestLost
        /// The request is received, and the connection is lost before the response:
        /// ``GatewayCore/NetworkError/connectionLost``.
        case responseLost
        /// The request is received, and there is no response: ``GatewayCore/NetworkError/timeout`` at the limit for the
        /// first byte (30 s, unless the call has one), the limit of the attempt or the deadline.
        case responseTimeout
    }

    /// The result of one exchange.
    public struct Outcome: Hashable, Sendable {
        /// The additional delay of the response, or the time before the failure. The time limits and the deadline of
        /// the call apply.
        public var delay: Duration
        /// The failure, if any.
        public var failure: Failure?

        /// Creates an outcome. A negative delay counts as zero.
        public init(delay: Duration = .zero, failure: Failure? = nil) {
            self.delay = delay
            self.failure = failure
        }
    }

    /// The quality that a ``SimulatedNetwork`` reports as a ``GatewayCore/NetworkConditionSource``.
    public let quality: NetworkCondition.Quality
    private let decide: @Sendable (HTTPRequest, any RandomSource) -> Outcome

    private init(
        quality: NetworkCondition.Quality,
        _ decide: @escaping @Sendable (HTTPRequest, any RandomSource) -> Outcome
    ) {
        self.quality = quality
        self.decide = decide
    }

    /// The outcome of an exchange.
    public func outcome(of request: HTTPRequest, random: any RandomSource) -> Outcome {
        decide(request, random)
    }

    /// No delays and no failures.
    public static let perfect = NetworkProfile(quality: .excellent) { _, _ in Outcome() }

    /// No network: every exchange fails immediately with ``Failure/noConnection``.
    public static let offline = NetworkProfile(quality: .offline) { _, _ in Outcome(failure: .noConnection) }

    /// Random failures.
    ///
    /// - Parameter rate: the probability that an exchange fails, clamped to 0…1; NaN counts as 0. One third of the
    ///   failures each is ``Failure/noConnection``, ``Failure/requestLost`` and ``Failure/responseLost``.
    public static func flaky(_ rate: Double) -> NetworkProfile {
        NetworkProfile(quality: .excellent) { _, random in Outcome(failure: failure(rate: rate, random)) }
    }

    /// Delayed responses.
    ///
    /// - Parameters:
    ///   - latency: the minimum delay.
    ///   - jitter: the maximum random addition, uniformly distributed.
    public static func slow(latency: Duration, jitter: Duration = .zero) -> NetworkProfile {
        lossy(latency: latency, jitter: jitter, rate: 0)
    }

    /// Your own behaviour.
    ///
    /// ```swift
    /// // One third of all POST requests lose their response.
    /// network.profile = .custom { request, random in
    ///     request.method == .post && random.unit() < 1 / 3.0 ? .init(failure: .responseLost) : .init()
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - quality: the quality that the network reports.
    ///   - decide: returns the outcome of an exchange. With the given source of randomness the run is repeatable.
    public static func custom(
        quality: NetworkCondition.Quality = .excellent,
        _ decide: @escaping @Sendable (_ request: HTTPRequest, _ random: any RandomSource) -> Outcome
    ) -> NetworkProfile {
        NetworkProfile(quality: quality, decide)
    }

    /// A 3G mobile network: a delay of 200…250 ms.
    public static let thirdGeneration = lossy(latency: .milliseconds(200), jitter: .milliseconds(50), rate: 0)

    /// A very bad network: a delay of 1…1.5 s; 10% of the exchanges fail.
    public static let veryBad = lossy(latency: .seconds(1), jitter: .milliseconds(500), rate: 0.1)

    /// A network that loses all packets: every exchange fails with ``Failure/connectionTimeout``.
    public static let totalLoss = NetworkProfile(quality: .offline) { _, _ in
        Outcome(failure: .connectionTimeout)
    }

    private static func lossy(latency: Duration, jitter: Duration, rate: Double) -> NetworkProfile {
        let (latency, jitter) = (max(.zero, latency).bounded, max(.zero, jitter).bounded)
        let mean = latency + jitter / 2
        let quality: NetworkCondition.Quality =
            switch mean {
            case ..<(.milliseconds(100)): .excellent
            case ..<(.milliseconds(300)): .good
            case ..<(.seconds(1)): .moderate
            default: .poor
            }
        return NetworkProfile(quality: quality) { _, random in
            // Both numbers are drawn for each exchange, so that changing one setting does not change the sequence of
            // the other.
            let share = random.unit()
            return Outcome(delay: latency + jitter.scaled(by: share), failure: failure(rate: rate, random))
        }
    }

    private static func failure(rate: Double, _ random: any RandomSource) -> Failure? {
        let share = random.unit()
        guard share < rate else { return nil }
        // Uniformly distributed below the rate, which may be greater than 1.
        let failures: [Failure] = [.noConnection, .requestLost, .responseLost]
        let index = Int(share / min(rate, 1) * Double(failures.count))
        return failures[min(index, failures.count - 1)]
    }
}
