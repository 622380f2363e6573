public import GatewayCore

extension EmbeddedGateway {
    /// The journal entry of a request. It contains no query, no field values and no token.
    public struct JournalEntry: Hashable, Sendable {
        /// The number of the request in the order of arrival, from 1.
        public let number: UInt64
        /// The method.
        public let method: HTTPMethod
        /// The path as received, without the query.
        public let path: String
        /// The time of arrival, on the gateway's clock.
        public let arrival: ContinuousClock.Instant
        /// The number of the connection, from 1.
        public let connection: UInt64
        /// The `X-Request-ID` of the request, or the one that the gateway generated.
        public let requestID: String
        /// Whether the request had an `Idempotency-Key`.
        public let hasIdempotencyKey: Bool
        /// The generation of the token in the request; `nil` without a token of this gateway.
        public internal(set) var tokenGeneration: UInt64?
        /// The status of the response; `nil` before the response, and if the connection was closed instead.
        public internal(set) var status: Int?
        /// Whether an injected fault other than latency determined the result.
        public internal(set) var wasFaulted = false
    }
}
