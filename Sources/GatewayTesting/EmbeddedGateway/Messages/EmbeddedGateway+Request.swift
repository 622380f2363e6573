public import GatewayCore
import GatewayListener

extension EmbeddedGateway {
    /// A request as the gateway received it.
    public struct Request: Sendable {
        /// The method.
        public let method: HTTPMethod
        /// Path and query as in the request line.
        public let target: String
        /// The header fields.
        public let fields: HTTPFields
        /// The content.
        public let body: [UInt8]
        /// The number of the connection, from 1.
        public let connection: UInt64
        /// The values of the route's `{names}`, percent-decoded.
        public internal(set) var parameters: [String: String] = [:]
        /// The claims of the access token, if the route requires one and the request had a valid one.
        public internal(set) var token: TokenClaims?

        /// The target without its query, percent-encoded as received.
        public var path: Substring { target.prefix { $0 != "?" } }

        /// The query parameters in order, form-decoded.
        public var query: [(name: String, value: String)] {
            guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return [] }
            return URLEncodedForm.decode(target[target.utf8.index(after: mark)...].utf8)
        }

        /// The values of a query parameter, in order.
        public func query(_ name: String) -> [String] { query.filter { $0.name == name }.map(\.value) }
    }
}

extension EmbeddedGateway.Request {
    init(_ received: HTTPListener.Request) {
        self.init(
            method: received.method, target: received.target, fields: received.fields, body: received.body,
            connection: received.connection)
    }
}

extension EmbeddedGateway.Request: Redacted {
    /// Method and path. Query, field values and content may contain secrets.
    public var description: String { "\(method) \(path)" }
}
