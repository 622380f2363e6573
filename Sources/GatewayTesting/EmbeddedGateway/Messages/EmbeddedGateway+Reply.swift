public import GatewayCore
public import GatewayJSON

extension EmbeddedGateway {
    /// An answer of the gateway.
    public struct Reply: Sendable {
        /// The status, 200 to 599.
        public var status: Int
        /// The header fields. `Content-Length`, `Date` and `Connection` are the server's.
        public var fields: HTTPFields
        /// The content.
        public var body: [UInt8]
        /// For the journal.
        var refreshTokenUse: RefreshTokenUse?

        /// Makes an answer of bytes.
        public init(status: Int = 200, fields: HTTPFields = HTTPFields(), body: [UInt8] = []) {
            self.status = status
            self.fields = fields
            self.body = body
        }

        /// An answer without content.
        public static func status(_ status: Int, fields: HTTPFields = HTTPFields()) -> Reply {
            Reply(status: status, fields: fields)
        }

        /// Text in UTF-8.
        public static func text(
            _ text: String, status: Int = 200, contentType: String = "text/plain; charset=utf-8"
        ) -> Reply {
            Reply(status: status, fields: [.contentType: contentType], body: Array(text.utf8))
        }

        /// A JSON value.
        public static func json(
            _ value: JSONValue, status: Int = 200, contentType: String = "application/json"
        ) -> Reply {
            // A JSON value always has a notation.
            Reply(
                status: status, fields: [.contentType: contentType], body: (try? value.jsonBytes()) ?? [])
        }

        /// A problem in the form of RFC 9457.
        ///
        /// - Parameters:
        ///   - status: the status, which names the title, too.
        ///   - detail: a sentence about this occurrence.
        ///   - members: what there is to say beyond that.
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
