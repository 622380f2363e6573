import CLibcurl

/// The library itself: initialised once in a process.
enum CurlLibrary {
    /// Whether libcurl can be used.
    static let isUsable = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

    /// libcurl's version as `0xXXYYZZ`.
    static let version: UInt32 = {
        guard let info = unsafe gateway_version_info() else { return 0 }
        return unsafe info.pointee.version_num
    }()

    /// Whether the end of an HTTP/2 stream can be told from its being torn (libcurl before 8.0.0 takes
    /// `RST_STREAM(NO_ERROR)` in the middle of a body for its end).
    static var tellsTornStreams: Bool { version >= 0x08_00_00 }
}
