import CLibcurl

/// The memory for libcurl's error texts, `CURL_ERROR_SIZE` bytes for each easy handle.
enum ErrorBuffer {
    /// Allocates an empty buffer. It must outlive the easy handle.
    static func allocate() -> UnsafeMutablePointer<CChar> {
        let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe buffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        return unsafe buffer
    }

    /// The text in the buffer, up to the first NUL.
    static func text(_ buffer: UnsafeMutablePointer<CChar>) -> String {
        let bytes = unsafe UnsafeRawBufferPointer(start: buffer, count: Int(CURL_ERROR_SIZE))
        return unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}
