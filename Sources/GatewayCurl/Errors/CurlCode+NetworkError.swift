import CLibcurl
import GatewayCore
private import GatewayLibC

/// Maps libcurl's error codes to ``NetworkError``. libcurl's texts are not passed on, because they may
/// contain fields or paths.
struct CurlCode {
    /// The meaning of a code.
    struct Meaning {
        let code: NetworkError.Code
        let message: String
        /// The phase, if the code determines it; otherwise the stage of the transfer is used.
        var phase: NetworkError.Phase?

        init(_ code: NetworkError.Code, _ message: String, phase: NetworkError.Phase? = nil) {
            self.code = code
            self.message = message
            self.phase = phase
        }
    }

    /// libcurl's code, not `CURLE_OK`.
    let code: CURLcode
    /// The `errno` of connecting; 0 if there is none.
    var systemError: Int32 = 0
    /// Whether libcurl was prevented from sending the request again.
    var isResend = false
    /// Whether the request was sent.
    var isSent = false
    /// Whether the connection was opened for the request.
    var isNew = false
    /// How the server refused the request, if it did.
    var refusal: EasyHandle.Refusal?
    /// Whether the response header was complete.
    var hasHead = false
    /// The peer of the transfer.
    let peer: Peer
    /// The result of verifying the server's certificate; `nil` if libcurl's TLS library has other results.
    var verifyResult: Int?
    /// libcurl's text about the failure. Only the reasons that ``TLSFailure`` knows are used.
    var text = ""
    /// The names in the server's certificate, if they are known.
    var certificateNames: [String] = []

    /// The meaning of the code.
    var meaning: Meaning {
        let server = peer.server
        if let refusal {
            let reason =
                switch refusal {
                case .goAway: "sent GOAWAY and did not process the request"
                case .http1Required:
                    "requires HTTP/1.1 for this request (HTTP_1_1_REQUIRED): set httpVersion to http1"
                }
            return Meaning(.connectionLost, "\(server) \(reason).", phase: .firstByte)
        }
        if isResend {
            let fact =
                isNew ? "refused the request, or closed the connection" : "closed the reused connection"
            return Meaning(.connectionLost, "\(server) \(fact) before it sent a response.")
        }
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST:
            return Meaning(
                .dnsFailure,
                "The name \(peer.resolved) did not resolve: check the host name and the DNS server.",
                phase: .resolve)
        case CURLE_COULDNT_RESOLVE_PROXY:
            return Meaning(
                .proxyFailure,
                "The proxy's name \(peer.resolved) did not resolve: check the proxy's host name.",
                phase: .resolve)
        case CURLE_PROXY:
            return Meaning(
                .proxyFailure, "The connection through the proxy \(peer.proxy ?? "") to \(server) failed.",
                phase: .connect)
        case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED: return connecting
        case CURLE_OPERATION_TIMEDOUT:
            return Meaning(.timeout, "libcurl's own time limit for connecting to \(peer.endpoint) passed.")
        case CURLE_SEND_ERROR:
            return Meaning(
                .connectionLost, "The connection to \(server) broke while the request was sent" + alert,
                phase: .send)
        case CURLE_SEND_FAIL_REWIND:
            return Meaning(
                .connectionLost, "The connection to \(server) broke; the request body is not sent again.",
                phase: .send)
        // libcurl's error for an invalid chunk size.
        case CURLE_RECV_ERROR where text.hasSuffix("in chunked-encoding"): return malformed
        case CURLE_RECV_ERROR: return Meaning(.connectionLost, "The connection to \(server) broke" + alert)
        case CURLE_GOT_NOTHING:
            return Meaning(
                .connectionLost, "\(server) closed the connection without a response.", phase: .firstByte)
        case CURLE_PARTIAL_FILE where hasHead:
            return Meaning(
                .truncated, "The response from \(server) ended before its announced length.", phase: .receive)
        // libcurl's error for the end of an HTTP/2 connection, and only for that.
        case CURLE_PARTIAL_FILE:
            return Meaning(
                .connectionLost, "\(server) closed the connection before the response header was complete.")
        case CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_HTTP3, CURLE_QUIC_CONNECT_ERROR:
            return Meaning(.connectionLost, "\(server) ended the HTTP/2 stream or connection with an error.")
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING,
            CURLE_FILESIZE_EXCEEDED:
            return malformed
        // libcurl's error for a line that is not a field.
        case CURLE_BAD_FUNCTION_ARGUMENT where hasHead || isSent: return malformed
        // libcurl's error for a header line that is longer than its buffer.
        case CURLE_OUT_OF_MEMORY where !hasHead:
            return Meaning(
                .responseTooLarge,
                "A line of the response header from \(server) is longer than libcurl accepts.")
        case CURLE_URL_MALFORMAT:
            return Meaning(.invalidURL, "libcurl does not accept the URL of \(server).", phase: .queue)
        case CURLE_BAD_FUNCTION_ARGUMENT, CURLE_UNKNOWN_OPTION, CURLE_NOT_BUILT_IN:
            return Meaning(
                .misconfigured, "The installed libcurl does not support an option of the configuration.")
        case CURLE_READ_ERROR, CURLE_UPLOAD_FAILED:
            return Meaning(.bodyFailed, "The request body could not be read.", phase: .send)
        default:
            return tls
                ?? Meaning(
                    .other, "The transfer to \(server) failed with libcurl's code \(code.rawValue).")
        }
    }

    private var malformed: Meaning {
        Meaning(.malformedResponse, "The response from \(peer.server) is not valid HTTP.")
    }

    private var connecting: Meaning {
        let endpoint = peer.endpoint
        return switch systemError {
        case ECONNREFUSED:
            Meaning(
                .connectionRefused,
                "\(Self.capitalized(endpoint)) refused the connection: check that the server is running and listens there.",
                phase: .connect)
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL:
            Meaning(
                .noConnection, "There is no route to \(endpoint): check the network of this machine.",
                phase: .connect)
        case ETIMEDOUT:
            Meaning(
                .timeout, "No connection to \(endpoint): the system's own time limit for connecting passed.",
                phase: .connect)
        case EMFILE, ENFILE:
            Meaning(
                .overloaded, "No connection to \(endpoint): no file descriptor is left.", phase: .connect)
        default: Meaning(.noConnection, "No connection to \(endpoint) could be made.", phase: .connect)
        }
    }

    private static func capitalized(_ text: String) -> String {
        text.hasPrefix("the ") ? "T" + text.dropFirst() : text
    }
}

extension CurlCode {
    /// The reason in the alert of a server that ends a TLS session.
    private var alert: String { TLSFailure.handshakeReason(text).map { ": \($0)." } ?? "." }

    private var tls: Meaning? {
        let server = peer.server
        switch code {
        case CURLE_SSL_CONNECT_ERROR:
            let reason = TLSFailure.handshakeReason(text)
            // OpenSSL interprets the first bytes of a plain HTTP response as a record of another version.
            let isPlain = reason == nil || reason == "wrong version number" || reason == "http request"
            return Meaning(
                .tlsFailure,
                "The TLS handshake with \(server) failed" + (reason.map { ": \($0)" } ?? "")
                    + (isPlain ? ": check that the port speaks TLS." : "."),
                phase: .tls)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR: return certificate
        case CURLE_SSL_INVALIDCERTSTATUS:
            return Meaning(
                .tlsFailure, "The certificate of \(server) is not trusted: its OCSP status is not valid.",
                phase: .tls)
        case CURLE_SSL_CRL_BADFILE:
            return Meaning(.tlsFailure, "The certificate revocation list cannot be read.", phase: .tls)
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            return Meaning(
                .pinningFailure,
                "The key of \(server) is not one of pinnedKeys: if the server has a new key, add its digest.",
                phase: .tls)
        case CURLE_SSL_CACERT_BADFILE:
            return Meaning(
                .misconfigured,
                peer.trust == .file
                    ? "The file of trusted certificates cannot be read: check caFile."
                    : "This system has no CA certificates that can be read. " + Self.installing, phase: .tls)
        case CURLE_SSL_CERTPROBLEM:
            return Meaning(
                .tlsFailure,
                "The client certificate cannot be used: check the files and the password of clientCertificate.",
                phase: .tls)
        case CURLE_SSL_CLIENTCERT:
            return Meaning(
                .tlsFailure, "\(server) requires a client certificate: set clientCertificate.", phase: .tls)
        case CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
            CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_SHUTDOWN_FAILED, CURLE_USE_SSL_FAILED:
            return Meaning(
                .tlsFailure, "TLS could not be set up for \(server) (libcurl's code \(code.rawValue)).",
                phase: .tls)
        default: return nil
        }
    }

    // The package has the same name in Debian, Ubuntu, Alpine, Fedora, Red Hat and Arch.
    private static let installing = "Install the package ca-certificates, or set caFile."

    private var certificate: Meaning {
        let text: String
        if TLSFailure.isHostMismatch(self.text) {
            let names = certificateNames.joined(separator: ", ")
            text =
                "hostname mismatch" + (names.isEmpty ? "" : ": certificate is for \(names)")
                + ". Call the host by a name that the certificate has."
        } else if peer.trust == .nothing, verifyResult.map(TLSFailure.isUnknownIssuer(verifyResult:)) ?? true
        {
            text = "this system has no CA certificates. " + Self.installing
        } else if let verifyResult {
            let certificate = TLSFailure.certificate(verifyResult: verifyResult)
            text = certificate.reason + ". " + certificate.advice
        } else {
            text = "verification failed. Check the certificate, and caFile."
        }
        return Meaning(
            .tlsFailure, "The certificate of \(peer.server) is not trusted: " + text, phase: .tls)
    }
}
