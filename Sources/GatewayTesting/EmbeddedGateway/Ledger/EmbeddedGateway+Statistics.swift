extension EmbeddedGateway {
    /// What the gateway has counted since it started, or since ``EmbeddedGateway/resetStatistics()``.
    public struct Statistics: Hashable, Sendable {
        /// How the requests to a route were answered.
        public struct Key: Hashable, Sendable {
            /// The route's path as it was written, such as `/v1/books/{bookId}`; `*` for requests to no route.
            public let path: String
            /// The status; `nil` where the connection was closed instead of an answer.
            public let status: Int?

            /// Makes a key.
            public init(path: String, status: Int?) {
                self.path = path
                self.status = status
            }
        }

        /// How many requests have arrived.
        public internal(set) var requests = 0
        /// How many were answered, by route and status. A fault's answers count, too.
        public internal(set) var answers: [Key: Int] = [:]
        /// How many requests the token endpoint has seen, by `grant_type`; faults and refusals count, too.
        public internal(set) var tokenRequests: [String: Int] = [:]
        /// How many tokens it has granted.
        public internal(set) var tokensGranted = 0
        /// How many requests to the API were answered 401.
        public internal(set) var unauthorized = 0
        /// How many requests to the API were answered 403.
        public internal(set) var forbidden = 0
        /// How many requests there were at once, at most.
        public internal(set) var peakRequests = 0
        /// How many connections were opened. Not reset: it counts from the start.
        public internal(set) var connectionsOpened = 0
        /// How many connections are open.
        public internal(set) var connectionsOpen = 0
        /// How many connections were open at once, at most. Not reset either.
        public internal(set) var peakConnections = 0

        /// How many requests the token endpoint has seen in all.
        public var tokenRequestCount: Int { tokenRequests.values.reduce(0, +) }

        /// How many requests were answered with a status.
        ///
        /// - Parameters:
        ///   - path: the route's path as it was written; `nil` for all.
        ///   - status: the status; `nil` for any answer at all.
        public func answered(path: String? = nil, status: Int? = nil) -> Int {
            answers.reduce(0) { sum, entry in
                let matches =
                    entry.key.status != nil && (path ?? entry.key.path) == entry.key.path
                    && (status ?? entry.key.status) == entry.key.status
                return matches ? sum + entry.value : sum
            }
        }
    }
}
