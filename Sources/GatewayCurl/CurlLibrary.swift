import CLibcurl
import CLibssl
import GatewayCore
private import GatewayLibC

/// Global state and properties of libcurl.
enum CurlLibrary {
    private static let isInitialised = Locked(false)

    /// Initializes libcurl once. Returns `false` if that fails; a later call retries it.
    static func initialise() -> Bool {
        isInitialised.withLock { isInitialised in
            if !isInitialised {
                keepTables()
                isInitialised = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK
            }
            return isInitialised
        }
    }

    /// Makes libcrypto keep its tables at the end of the process, when threads may still use them. Effective
    /// only before the first other use of OpenSSL.
    private static func keepTables() { _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) }

    /// libcurl's version as `0xXXYYZZ`.
    static let version: UInt32 = {
        guard let info = unsafe gateway_version_info() else { return 0 }
        return unsafe info.pointee.version_num
    }()

    /// Whether the TLS library is OpenSSL or derived from it, so that its verification results are known.
    static let usesOpenSSL: Bool = {
        guard let info = unsafe gateway_version_info(), let name = unsafe info.pointee.ssl_version else {
            return false
        }
        let text = unsafe String(cString: name)
        return ["OpenSSL", "LibreSSL", "BoringSSL", "AWS-LC", "quictls"].contains { text.contains($0) }
    }()

    /// The system's file of trusted certificates: libcurl's default, or the first well-known file that exists.
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

    /// Whether the header of an HTTP/2 response may be larger than libcurl's buffer. Before 8.1.0 the remaining part is
    /// delivered late or in the wrong order.
    static var keepsLongHeads: Bool { version >= 0x08_01_00 }

    /// Whether a truncated HTTP/2 stream is detected. libcurl before 8.0.0 interprets `RST_STREAM(NO_ERROR)` inside of
    /// a body as its end.
    static var tellsTornStreams: Bool { version >= 0x08_00_00 }
}
