public import GatewayCore

/// A file part of a form (RFC 7578). It is read while it is sent and is never completely in memory, unless it is
/// created from bytes.
public struct MultipartFile: Sendable {
    /// The content.
    public var body: HTTPBody
    /// The file name that is sent to the server, without a path.
    public var filename: String?
    /// The media type. Default: the document's, otherwise `application/octet-stream`.
    public var contentType: String?

    /// Creates a file part from a body.
    public init(_ body: HTTPBody, filename: String? = "file", contentType: String? = nil) {
        self.body = body
        self.filename = filename
        self.contentType = contentType
    }

    /// A file at a path. The default file name is the last component of the path.
    public static func file(
        _ path: String, filename: String? = nil, contentType: String? = nil
    ) -> MultipartFile {
        let last = path.split(separator: "/").last.map { String($0) } ?? "file"
        return MultipartFile(.file(path), filename: filename ?? last, contentType: contentType)
    }

    /// A file with these bytes.
    public static func bytes(
        _ bytes: [UInt8], filename: String = "file", contentType: String? = nil
    ) -> MultipartFile {
        MultipartFile(.bytes(bytes), filename: filename, contentType: contentType)
    }
}
