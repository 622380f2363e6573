/// Recommended settings for a network quality. They are not applied automatically.
public struct NetworkRecommendation: Hashable, Sendable {
    /// The deadline of a call.
    public let timeout: Duration
    /// The maximum number of retries of a call.
    public let retries: Int
    /// Whether content may be requested before it is needed.
    public let allowsPrefetch: Bool
}

extension NetworkCondition.Quality {
    /// The recommendation for this quality: 10 s and 2 retries if it is excellent, 15 s and 3 if good, both with
    /// prefetching; 30 s and 3 if moderate, 60 s and 5 if poor, and offline 5 s and none, so that calls fail fast.
    public var recommendation: NetworkRecommendation {
        switch self {
        case .excellent: NetworkRecommendation(timeout: .seconds(10), retries: 2, allowsPrefetch: true)
        case .good: NetworkRecommendation(timeout: .seconds(15), retries: 3, allowsPrefetch: true)
        case .moderate: NetworkRecommendation(timeout: .seconds(30), retries: 3, allowsPrefetch: false)
        case .poor: NetworkRecommendation(timeout: .seconds(60), retries: 5, allowsPrefetch: false)
        case .offline: NetworkRecommendation(timeout: .seconds(5), retries: 0, allowsPrefetch: false)
        }
    }
}
