/// The response of a failed call: status, header fields, and up to 64 KiB of the body.
///
/// Descriptions, dumps and mirrors contain only the status and the size of the body, because header fields and body
/// contain data of the server, which may be secret.
public struct FailedResponse: Sendable {
    /// The maximum number of bytes of the body that are kept: 64 KiB.
    public static let bodyLimit = 64 << 10

    /// The HTTP status.
    public let status: Int
    /// The header fields.
    public let fields: HTTPFields
    /// The body, or its first ``bodyLimit`` bytes. For a stream it is the event, line or record that could not be
    /// decoded.
    public let body: [UInt8]
    /// Whether ``body`` is incomplete.
    public let isBodyTruncated: Bool
    /// Why the body could not be decoded; `nil` if the status is the reason.
    public let decodingError: (any Error)?

    /// Creates a response, for tests of error handling.
    ///
    /// - Parameters:
    ///   - status: the HTTP status.
    ///   - fields: the header fields.
    ///   - body: the body. Only the first ``bodyLimit`` bytes are kept.
    ///   - isBodyTruncated: whether `body` is already incomplete.
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

    /// Keeps a response. The body of a stream is not kept.
    package init(_ response: HTTPResponse, decodingError: (any Error)? = nil) {
        let bytes = response.body.bytes
        self.init(
            status: response.status, fields: response.fields, body: bytes ?? [],
            isBodyTruncated: bytes == nil, decodingError: decodingError)
    }

    /// The media type of the body without parameters, in lower case: `application/problem+json`.
    public var mediaType: String? { fields.mediaType }

    /// Decodes the body as text, in the charset of `Content-Type`; see ``HTTPResponse/text()``. A character that was
    /// split by truncation is omitted.
    ///
    /// - Throws: ``NetworkError`` with code ``NetworkError/decodingFailed``.
    public func text() throws(NetworkError) -> String {
        do throws(TextError) {
            return try fields.text(of: body, isTruncated: isBodyTruncated)
        } catch {
            throw undecodable("The text of the response cannot be read: \(error.message).", error)
        }
    }

    /// Decodes the body with a function; see ``HTTPResponse/decoded(_:)``.
    ///
    /// - Throws: ``NetworkError`` with code ``NetworkError/responseTooLarge`` if the body was truncated, or
    ///   ``NetworkError/decodingFailed`` if the function throws, with its error as the cause.
    public func decoded<Value>(_ decode: ([UInt8]) throws -> Value) throws(NetworkError) -> Value {
        let content = try content()
        do {
            return try decode(content)
        } catch {
            throw undecodable("The response could not be decoded: \(type(of: error)).", error)
        }
    }

    /// The complete body. Throws if it was truncated.
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
