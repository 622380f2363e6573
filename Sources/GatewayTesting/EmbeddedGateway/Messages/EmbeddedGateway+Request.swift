public import GatewayCore

extension EmbeddedGateway {
    /// A request as the gateway received it.
    public struct Request: Sendable {
        /// The method.
        public let method: HTTPMethod
        /// Path and query as they stood on the request line.
        public let target: String
        /// The header fields.
        public let fields: HTTPFields
        /// The content.
        public let body: [UInt8]
        /// Which connection it came over, counted from 1.
        public let connection: UInt64
        /// What the route's `{names}` matched, percent-decoded.
        public internal(set) var parameters: [String: String] = [:]
        /// What the bearer token says, where the route asks for one and the request carried a good one.
        public internal(set) var token: TokenClaims?

        init(method: HTTPMethod, target: String, fields: HTTPFields, body: [UInt8], connection: UInt64) {
            self.method = method
            self.target = target
            self.fields = fields
            self.body = body
            self.connection = connection
        }

        /// The target without its query, percent-encoded as it came.
        public var path: Substring { target.prefix { $0 != "?" } }

        /// The parameters of the query, in order, decoded as a form's are.
        public var query: [(name: String, value: String)] {
            guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return [] }
            return FormParameters.decode(target[target.utf8.index(after: mark)...].utf8)
        }

        /// The values of one parameter of the query, in order.
        public func query(_ name: String) -> [String] { query.filter { $0.name == name }.map(\.value) }
    }
}

extension EmbeddedGateway.Request: Redacted {
    /// Method and path: the query, field values and content may hold secrets.
    public var description: String { "\(method) \(path)" }
}
