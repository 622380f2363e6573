public import GatewayCore
public import GatewayJSON
import GatewayListener

extension EmbeddedGateway {
    /// A response of the gateway.
    public struct Reply: Sendable {
        /// The status, 200…599.
        public var status: Int
        /// The header fields. `Content-Length`, `Date` and `Connection` are set by the server.
        public var fields: HTTPFields
        /// The content.
        public var body: [UInt8]
        /// The use of a refresh token, for the journal.
        var refreshTokenUse: RefreshTokenUse?

        /// Creates a response from bytes.
        public init(status: Int = 200, fields: HTTPFields = HTTPFields(), body: [UInt8] = []) {
            self.status = status
            self.fields = fields
            self.body = body
        }

        /// The response for the listener.
        var message: HTTPListener.Reply { HTTPListener.Reply(status: status, fields: fields, body: body) }

        /// A response without content.
        public static func status(_ status: Int, fields: HTTPFields = HTTPFields()) -> Reply {
            Reply(status: status, fields: fields)
        }

        /// A response with text in UTF-8.
        public static func text(
            _ text: String, status: Int = 200, contentType: String = "text/plain; charset=utf-8"
        ) -> Reply {
            Reply(status: status, fields: [.contentType: contentType], body: Array(text.utf8))
        }

        /// A response with a JSON value.
        public static func json(
            _ value: JSONValue, status: Int = 200, contentType: String = "application/json"
        ) -> Reply {
            // Encoding a JSON value never fails.
            Reply(
                status: status, fields: [.contentType: contentType], body: (try? value.jsonBytes()) ?? [])
        }

        /// A response with problem details (RFC 9457).
        ///
        /// - Parameters:
        ///   - status: the status, which also determines the title.
        ///   - detail: a sentence about this occurrence.
        ///   - members: additional members.
        public static func problem(
            _ status: Int, _ detail: String, _ members: [String: JSONValue] = [:]
        ) -> Reply {
            var all = members
            all["title"] = .string(title(of: status))
            all["status"] = .number(JSONNumber(status))
            all["detail"] = .string(detail)
            return .json(.object(all), status: status, contentType: "application/problem+json")
        }

        private static func title(of status: Int) -> String {
            switch status {
            case 400: "Bad request"
            case 401: "Unauthorized"
            case 403: "Forbidden"
            case 404: "Not found"
            case 405: "Method not allowed"
            case 409: "Conflict"
            case 412: "Precondition failed"
            case 415: "Unsupported media type"
            case 422: "Invalid"
            default: "Problem \(status)"
            }
        }
    }
}
