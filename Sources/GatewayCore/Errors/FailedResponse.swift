/// The response that made a call fail: status, header fields, and up to 64 KiB of the body.
///
/// Descriptions, dumps and mirrors show the status and the size of the body alone: header fields and body hold what the
/// server wrote, which may be secret.
public struct FailedResponse: Sendable {
    /// The maximum number of bytes of a body that are kept: 64 KiB.
    public static let bodyLimit = 64 << 10

    /// The HTTP status.
    public let status: Int
    /// The header fields.
    public let fields: HTTPFields
    /// The body, or its first ``bodyLimit`` bytes. Of a stream it is the event, line or record that could not be decoded.
    public let body: [UInt8]
    /// Whether the server sent more than ``body`` holds.
    public let isBodyTruncated: Bool
    /// Why the body could not be decoded; `nil` where the status is the reason.
    public let decodingError: (any Error)?

    /// Makes a response, for tests of code that handles errors.
    ///
    /// - Parameters:
    ///   - status: the HTTP status.
    ///   - fields: the header fields.
    ///   - body: the body, of which the first ``bodyLimit`` bytes are kept.
    ///   - isBodyTruncated: whether `body` lacks its end already.
    ///   - decodingError: why the body could not be decoded.
    public init(
        status: Int, fields: HTTPFields = HTTPFields(), body: [UInt8] = [], isBodyTruncated: Bool = false,
        decodingError: (any Error)? = nil
    ) {
        self.status = status
        self.fields = fields
        let isTooLong = body.count > Self.bodyLimit
        self.body = isTooLong ? Array(body.prefix(Self.bodyLimit)) : body
        self.isBodyTruncated = isBodyTruncated || isTooLong
        self.decodingError = decodingError
    }

    /// Keeps a response. Of a body that is a stream nothing is kept.
    package init(_ response: HTTPResponse, decodingError: (any Error)? = nil) {
        let bytes = response.body.bytes
        self.init(
            status: response.status, fields: response.fields, body: bytes ?? [],
            isBodyTruncated: bytes == nil, decodingError: decodingError)
    }

    /// The media type of the body without parameters, in lower case: `application/problem+json`.
    public var mediaType: String? { fields.mediaType }

    /// The body as text; `nil` where it is not UTF-8. A character that the truncation splits is left out.
    public var text: String? {
        let lost = isBodyTruncated ? min(3, body.count) : 0
        for count in 0...lost {
            if let text = String(validating: body.dropLast(count), as: UTF8.self) { return text }
        }
        return nil
    }
}

extension FailedResponse: Redacted {
    /// The status and the size of the body.
    public var description: String {
        "HTTP \(status) with \(isBodyTruncated ? "more than " : "")\(body.count) bytes"
    }
}
