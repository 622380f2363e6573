public import GatewayCore

extension EmbeddedGateway {
    /// What the gateway remembers of one request: no query, no field values, no token.
    public struct JournalEntry: Hashable, Sendable {
        /// The request's number, from 1, in the order of arrival.
        public let number: UInt64
        /// The method.
        public let method: HTTPMethod
        /// The path as it came, without the query.
        public let path: String
        /// When it arrived, on the gateway's clock.
        public let arrival: ContinuousClock.Instant
        /// Over which connection, numbered from 1.
        public let connection: UInt64
        /// The request's `X-Request-ID`, or the one the gateway made for it.
        public let requestID: String
        /// Whether the request carried an `Idempotency-Key`.
        public let hasIdempotencyKey: Bool
        /// The generation of the token it carried; `nil` where it carried none of this gateway's.
        public internal(set) var tokenGeneration: UInt64?
        /// How it was answered; `nil` while it is not, and where the connection was closed instead.
        public internal(set) var status: Int?
        /// Whether an injected fault decided its fate (latency alone does not).
        public internal(set) var wasFaulted = false
    }
}
