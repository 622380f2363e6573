public import GatewayCore

extension EmbeddedGateway {
    /// A set of requests.
    public struct Scope: Sendable {
        let contains: @Sendable (_ request: Request, _ isTokenRequest: Bool) -> Bool

        /// All requests except those to the token endpoint.
        public static let api = Scope { !$1 }
        /// Requests to the token endpoint.
        public static let token = Scope { $1 }
        /// All requests.
        public static let everything = Scope { _, _ in true }

        /// Requests to a path, with any method or with a certain one. A trailing `*` matches any suffix.
        public static func path(_ path: String, method: HTTPMethod? = nil) -> Scope {
            let prefix = path.hasSuffix("*") ? String(path.dropLast()) : nil
            return Scope { request, _ in
                guard method == nil || method == request.method else { return false }
                return prefix.map(request.path.hasPrefix) ?? (request.path == path)
            }
        }

        /// Requests that a function selects. It runs on the gateway's threads and must not block.
        public static func matching(_ picks: @escaping @Sendable (Request) -> Bool) -> Scope {
            Scope { request, _ in picks(request) }
        }
    }
}
