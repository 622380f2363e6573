public import GatewayCore

/// A file among the parts of a form (RFC 7578). It is read while it is sent; nothing holds the whole of it.
public struct MultipartFile: Sendable {
    /// The content.
    public var body: HTTPBody
    /// By what name the server knows the file, without a path.
    public var filename: String?
    /// The media type; the document's, or `application/octet-stream`, where nothing is said.
    public var contentType: String?

    /// A file of any content.
    public init(_ body: HTTPBody, filename: String? = "file", contentType: String? = nil) {
        self.body = body
        self.filename = filename
        self.contentType = contentType
    }

    /// A file at a path. The server learns the last component of the path, unless another name is given.
    public static func file(
        _ path: String, filename: String? = nil, contentType: String? = nil
    ) -> MultipartFile {
        let last = path.split(separator: "/").last.map { String($0) } ?? "file"
        return MultipartFile(.file(path), filename: filename ?? last, contentType: contentType)
    }

    /// A file of these bytes.
    public static func bytes(
        _ bytes: [UInt8], filename: String = "file", contentType: String? = nil
    ) -> MultipartFile {
        MultipartFile(.bytes(bytes), filename: filename, contentType: contentType)
    }
}
