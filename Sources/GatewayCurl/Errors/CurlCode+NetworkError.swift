import CLibcurl
import GatewayCore

#if canImport(Glibc)
    private import Glibc
#else
    private import Musl
#endif

/// What libcurl's codes mean in our vocabulary. libcurl's texts are not used: they may name headers or paths.
enum CurlCode {
    /// What a code stands for.
    struct Meaning {
        let code: NetworkError.Code
        let message: String
        /// Where it happened, if the code tells; else the transfer's stage does.
        var phase: NetworkError.Phase?

        init(_ code: NetworkError.Code, _ message: String, phase: NetworkError.Phase? = nil) {
            self.code = code
            self.message = message
            self.phase = phase
        }
    }

    /// The meaning of a code.
    ///
    /// - Parameters:
    ///   - code: libcurl's code, not `CURLE_OK`.
    ///   - systemError: the `errno` of connecting, 0 where there is none.
    ///   - isResend: whether libcurl was kept from sending the request again.
    ///   - hasHead: whether the response's head was complete.
    static func meaning(_ code: CURLcode, systemError: Int32, isResend: Bool, hasHead: Bool) -> Meaning {
        if isResend {
            return Meaning(.connectionLost, "The kept connection was closed by the server as it was used.")
        }
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST:
            return Meaning(.dnsFailure, "The host's name did not resolve.", phase: .resolve)
        case CURLE_COULDNT_RESOLVE_PROXY:
            return Meaning(.proxyFailure, "The proxy's name did not resolve.", phase: .resolve)
        case CURLE_PROXY: return Meaning(.proxyFailure, "The proxy could not be used.", phase: .connect)
        case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED: return connect(systemError)
        case CURLE_OPERATION_TIMEDOUT: return Meaning(.timeout, "Time ran out.")
        case CURLE_SEND_ERROR:
            return Meaning(.connectionLost, "The connection broke while the request was sent.", phase: .send)
        case CURLE_SEND_FAIL_REWIND:
            return Meaning(.connectionLost, "The connection broke; the body is not sent again.", phase: .send)
        case CURLE_RECV_ERROR: return Meaning(.connectionLost, "The connection broke.")
        case CURLE_GOT_NOTHING:
            return Meaning(
                .connectionLost, "The server closed the connection without an answer.", phase: .firstByte)
        case CURLE_PARTIAL_FILE where hasHead:
            return Meaning(.truncated, "The response ended before its announced end.", phase: .receive)
        // What libcurl gives for an HTTP/2 connection that ends, and for no other.
        case CURLE_PARTIAL_FILE:
            return Meaning(
                .connectionLost, "The connection was closed before the response's header was complete.")
        case CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_HTTP3, CURLE_QUIC_CONNECT_ERROR:
            return Meaning(.connectionLost, "The server broke off the exchange.")
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING,
            CURLE_FILESIZE_EXCEEDED:
            return Meaning(.malformedResponse, "The response does not follow the protocol.")
        // What libcurl gives for a trailer that is no field.
        case CURLE_BAD_FUNCTION_ARGUMENT where hasHead:
            return Meaning(.malformedResponse, "The response does not follow the protocol.")
        // What libcurl gives for a header line past what it buffers.
        case CURLE_OUT_OF_MEMORY where !hasHead:
            return Meaning(.responseTooLarge, "The response's header is larger than its limit.")
        case CURLE_URL_MALFORMAT: return Meaning(.invalidURL, "The URL cannot be used.", phase: .queue)
        case CURLE_BAD_FUNCTION_ARGUMENT, CURLE_UNKNOWN_OPTION, CURLE_NOT_BUILT_IN:
            return Meaning(.misconfigured, "This libcurl lacks what the configuration asks for.")
        case CURLE_READ_ERROR, CURLE_UPLOAD_FAILED:
            return Meaning(.bodyFailed, "The body could not be read.", phase: .send)
        default: return tls(code) ?? Meaning(.other, "The transfer failed (libcurl code \(code.rawValue)).")
        }
    }

    private static func connect(_ systemError: Int32) -> Meaning {
        switch systemError {
        case ECONNREFUSED:
            Meaning(.connectionRefused, "The host refused the connection.", phase: .connect)
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL:
            Meaning(.noConnection, "The host or its network is unreachable.", phase: .connect)
        case ETIMEDOUT: Meaning(.timeout, "The host did not answer.", phase: .connect)
        case EMFILE, ENFILE:
            Meaning(.overloaded, "The process has no file descriptor left.", phase: .connect)
        default: Meaning(.noConnection, "No connection could be made.", phase: .connect)
        }
    }

    private static func tls(_ code: CURLcode) -> Meaning? {
        switch code {
        case CURLE_SSL_CONNECT_ERROR: Meaning(.tlsFailure, "The TLS handshake failed.", phase: .tls)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_CRL_BADFILE:
            Meaning(.tlsFailure, "The server's certificate is not trusted.", phase: .tls)
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            Meaning(.pinningFailure, "The server's key is not among the pinned ones.", phase: .tls)
        case CURLE_SSL_CACERT_BADFILE:
            Meaning(.misconfigured, "The file of trusted certificates cannot be read.", phase: .tls)
        case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CLIENTCERT, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_NOTFOUND,
            CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_SHUTDOWN_FAILED,
            CURLE_USE_SSL_FAILED:
            Meaning(.tlsFailure, "TLS could not be set up.", phase: .tls)
        default: nil
        }
    }
}
