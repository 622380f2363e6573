public import GatewayCore

/// How a ``SimulatedNetwork`` treats exchanges.
///
/// The named profiles follow Apple's Network Link Conditioner in latency and loss. Their bandwidth is not simulated here: see
/// ``ChaosProxy`` for real bytes.
public struct NetworkProfile: Sendable {
    /// How an exchange fails.
    @nonexhaustive
    public enum Failure: Hashable, Sendable, CaseIterable {
        /// There is no route: fails with ``GatewayCore/NetworkError/noConnection``. Nothing was sent.
        case noConnection
        /// The name does not resolve: fails with ``GatewayCore/NetworkError/dnsFailure``. Nothing was sent.
        case dnsFailure
        /// The host refuses the connection: fails with ``GatewayCore/NetworkError/connectionRefused``. Nothing was sent.
        case connectionRefused
        /// Nothing answers the attempt to connect: fails with ``GatewayCore/NetworkError/timeout`` at the limit for
        /// connecting (10 s, unless the call has one), the limit of the attempt or the deadline. Nothing was sent.
        case connectionTimeout
        /// The connection breaks while the request is sent: fails with ``GatewayCore/NetworkError/connectionLost``. The
        /// request does not arrive, which the client cannot know.
        case requestLost
        /// The request arrives, and the connection breaks before the response: fails with
        /// ``GatewayCore/NetworkError/connectionLost``.
        case responseLost
        /// The request arrives, and its response never does: fails with ``GatewayCore/NetworkError/timeout`` at the limit
        /// for the first byte (30 s, unless the call has one), the limit of the attempt or the deadline.
        case responseTimeout
    }

    /// What happens to one exchange.
    public struct Outcome: Hashable, Sendable {
        /// The time that the network adds to the response, or that passes before the failure. It counts against the limits
        /// and the deadline of the call.
        public var delay: Duration
        /// How the exchange fails; `nil` if it does not.
        public var failure: Failure?

        /// Makes an outcome. A negative delay counts as zero.
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

    /// What happens to an exchange.
    public func outcome(of request: HTTPRequest, random: any RandomSource) -> Outcome {
        decide(request, random)
    }

    /// Changes nothing.
    public static let perfect = NetworkProfile(quality: .excellent) { _, _ in Outcome() }

    /// No network: every exchange fails at once with ``Failure/noConnection``.
    public static let offline = NetworkProfile(quality: .offline) { _, _ in Outcome(failure: .noConnection) }

    /// Loses connections.
    ///
    /// - Parameter rate: the probability that an exchange fails, from 0 to 1; numbers outside are clamped, and one that is
    ///   not a number counts as 0. One third of the failures each is ``Failure/noConnection``, ``Failure/requestLost`` and
    ///   ``Failure/responseLost``.
    public static func flaky(_ rate: Double) -> NetworkProfile {
        NetworkProfile(quality: .excellent) { _, random in Outcome(failure: failure(rate: rate, random)) }
    }

    /// Delays responses.
    ///
    /// - Parameters:
    ///   - latency: the shortest delay.
    ///   - jitter: what is added to it at most, uniformly distributed.
    public static func slow(latency: Duration, jitter: Duration = .zero) -> NetworkProfile {
        lossy(latency: latency, jitter: jitter, rate: 0)
    }

    /// Any behaviour of your own.
    ///
    /// ```swift
    /// // The third part of all writes loses its response.
    /// network.profile = .custom { request, random in
    ///     request.method == .post && random.unit() < 1 / 3.0 ? .init(failure: .responseLost) : .init()
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - quality: what the network reports as its quality.
    ///   - decide: returns what happens to an exchange. Randomness from the parameter is repeatable.
    public static func custom(
        quality: NetworkCondition.Quality = .excellent,
        _ decide: @escaping @Sendable (_ request: HTTPRequest, _ random: any RandomSource) -> Outcome
    ) -> NetworkProfile {
        NetworkProfile(quality: quality, decide)
    }

    /// A mobile network of the third generation: 200 ms, with up to 50 ms more.
    public static let thirdGeneration = lossy(latency: .milliseconds(200), jitter: .milliseconds(50), rate: 0)

    /// A very bad network: 1 s, with up to 500 ms more; every tenth exchange fails.
    public static let veryBad = lossy(latency: .seconds(1), jitter: .milliseconds(500), rate: 0.1)

    /// A network that loses everything: every exchange fails with ``Failure/connectionTimeout``.
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
            // Both are drawn for each exchange, so that a change of one setting leaves the sequence of the other.
            let share = random.unit()
            return Outcome(delay: latency + jitter.scaled(by: share), failure: failure(rate: rate, random))
        }
    }

    private static func failure(rate: Double, _ random: any RandomSource) -> Failure? {
        let share = random.unit()
        guard share < rate else { return nil }
        // Uniform below the rate, which may be more than 1.
        let failures: [Failure] = [.noConnection, .requestLost, .responseLost]
        let index = Int(share / min(rate, 1) * Double(failures.count))
        return failures[min(index, failures.count - 1)]
    }
}
