package import GatewayCore

extension HTTPListener {
    /// A complete request.
    package struct Request: Sendable {
        /// The method.
        package let method: HTTPMethod
        /// Path and query as in the request line.
        package let target: String
        /// The header fields.
        package let fields: HTTPFields
        /// The content.
        package let body: [UInt8]
        /// The number of the connection, from 1.
        package let connection: UInt64
    }

    /// A response.
    package struct Reply: Sendable {
        /// The status, 200…599.
        package var status: Int
        /// The header fields. `Content-Length`, `Transfer-Encoding`, `Date` and `Connection` are set by the listener.
        package var fields: HTTPFields
        /// The content, or the first frame of it.
        package var body: [UInt8]

        package init(status: Int = 200, fields: HTTPFields = HTTPFields(), body: [UInt8] = []) {
            self.status = status
            self.fields = fields
            self.body = body
        }
    }
}

extension HTTPListener.Request: Redacted {
    /// The method. Target, field values and content may contain secrets.
    package var description: String { method.rawValue }
}

extension HTTPListener.Reply: Redacted {
    /// The status and the size of the body.
    package var description: String { "HTTP \(status) with \(body.count) bytes" }
}
