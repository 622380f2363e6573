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

    /// The body as text, in the charset of `Content-Type`, as ``HTTPResponse/text()`` reads it. A character that the
    /// truncation splits is left out.
    ///
    /// - Throws: ``NetworkError`` with code ``NetworkError/decodingFailed``.
    public func text() throws(NetworkError) -> String {
        do throws(TextError) {
            return try fields.text(of: body, isTruncated: isBodyTruncated)
        } catch {
            throw undecodable("The text of the response cannot be read: \(error.message).", error)
        }
    }

    /// The body as decoded by a function, as ``HTTPResponse/decoded(_:)`` does it.
    ///
    /// - Throws: ``NetworkError`` with code ``NetworkError/responseTooLarge`` if the body was truncated,
    ///   ``NetworkError/decodingFailed`` if the function throws, with its error as the cause.
    public func decoded<Value>(_ decode: ([UInt8]) throws -> Value) throws(NetworkError) -> Value {
        let content = try content()
        do {
            return try decode(content)
        } catch {
            throw undecodable("The response could not be decoded: \(type(of: error)).", error)
        }
    }

    /// The whole body.
    package func content() throws(NetworkError) -> [UInt8] {
        guard !isBodyTruncated else {
            throw NetworkError(
                .responseTooLarge, "Only the first \(body.count) bytes of the body were kept.",
                response: self,
                mayHaveBeenSent: true)
        }
        return body
    }

    /// The error of a body that cannot be decoded.
    package func undecodable(_ message: String, _ cause: any Error) -> NetworkError {
        NetworkError(.decodingFailed, message, response: self, mayHaveBeenSent: true, underlying: cause)
    }
}

extension FailedResponse: Redacted {
    /// The status and the size of the body.
    public var description: String {
        "HTTP \(status) with \(isBodyTruncated ? "more than " : "")\(body.count) bytes"
    }
}
