extension EmbeddedGateway {
    /// The counters of the gateway since its start, or since ``EmbeddedGateway/resetStatistics()``.
    public struct Statistics: Hashable, Sendable {
        /// A route and a status.
        public struct Key: Hashable, Sendable {
            /// The path of the route as it was added, such as `/v1/books/{bookId}`; `*` for requests without a route.
            public let path: String
            /// The status; `nil` if the connection was closed without a response.
            public let status: Int?

            /// Creates a key.
            public init(path: String, status: Int?) {
                self.path = path
                self.status = status
            }
        }

        /// The number of requests that have arrived.
        public internal(set) var requests = 0
        /// The number of responses by route and status, including those of faults.
        public internal(set) var answers: [Key: Int] = [:]
        /// The number of requests to the token endpoint by `grant_type`, including faults and refusals.
        public internal(set) var tokenRequests: [String: Int] = [:]
        /// The number of issued tokens.
        public internal(set) var tokensGranted = 0
        /// The number of 401 responses of the API.
        public internal(set) var unauthorized = 0
        /// The number of 403 responses of the API.
        public internal(set) var forbidden = 0
        /// The maximum number of simultaneous requests.
        public internal(set) var peakRequests = 0
        /// The number of connections since the start. Not reset.
        public internal(set) var connectionsOpened = 0
        /// The number of open connections.
        public internal(set) var connectionsOpen = 0
        /// The maximum number of simultaneous connections. Not reset.
        public internal(set) var peakConnections = 0

        /// The number of all requests to the token endpoint.
        public var tokenRequestCount: Int { tokenRequests.values.reduce(0, +) }

        /// The number of requests that got a response.
        ///
        /// - Parameters:
        ///   - path: the path of the route as it was added; `nil` for all.
        ///   - status: the status; `nil` for any.
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
