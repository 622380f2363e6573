import CLibcurl
import GatewayCore

#if canImport(Glibc)
    private import Glibc
#else
    private import Musl
#endif

/// The library itself: initialised once in a process.
enum CurlLibrary {
    private static let isInitialised = Locked(false)

    /// Initialises libcurl, if that has not been done; `false` where it fails, and a later call tries again.
    static func initialise() -> Bool {
        isInitialised.withLock { isInitialised in
            if !isInitialised { isInitialised = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK }
            return isInitialised
        }
    }

    /// libcurl's version as `0xXXYYZZ`.
    static let version: UInt32 = {
        guard let info = unsafe gateway_version_info() else { return 0 }
        return unsafe info.pointee.version_num
    }()

    /// Whether TLS is OpenSSL or a library derived from it, whose results of verifying certificates are known.
    static let usesOpenSSL: Bool = {
        guard let info = unsafe gateway_version_info(), let name = unsafe info.pointee.ssl_version else {
            return false
        }
        let text = unsafe String(cString: name)
        return ["OpenSSL", "LibreSSL", "BoringSSL", "AWS-LC", "quictls"].contains { text.contains($0) }
    }()

    /// The distribution's file of trusted certificates: libcurl's own, or the first that is there.
    static let trustedCertificates: String? = {
        var files: [String] = []
        if let info = unsafe gateway_version_info(), let file = unsafe info.pointee.cainfo {
            files.append(unsafe String(cString: file))
        }
        files += [
            "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
            "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
        ]
        return files.first { unsafe access($0, R_OK) == 0 }
    }()

    /// Whether the head of an HTTP/2 response may be larger than libcurl's buffer (before 8.1.0 what does not fit comes
    /// late or before the rest).
    static var keepsLongHeads: Bool { version >= 0x08_01_00 }

    /// Whether the end of an HTTP/2 stream can be told from its being torn (libcurl before 8.0.0 takes
    /// `RST_STREAM(NO_ERROR)` in the middle of a body for its end).
    static var tellsTornStreams: Bool { version >= 0x08_00_00 }
}
