import CLibcurl
import GatewayCore

/// Reads the names in a server certificate that does not match the host.
///
/// libcurl collects them only if `CURLOPT_CERTINFO` is set before the handshake, which makes each handshake about 25%
/// slower. So the option is set only after a mismatch, and the handshake is repeated once on a new connection. The
/// request is not sent on it, regardless of the result.
extension CurlLoop {
    /// Repeats the handshake after a mismatch; `false`, without doing anything, if there is no mismatch.
    func readsCertificate(of handle: EasyHandle, _ code: CURLcode) -> Bool {
        guard code == CURLE_PEER_FAILED_VERIFICATION, handle.mismatch == nil, handle.progress.sends == 0,
            let pool = handle.pool, TLSFailure.isHostMismatch(handle.errorText)
        else { return false }
        handle.beginReadingCertificate()
        return pool.restart(handle)
    }
}

extension EasyHandle {
    /// libcurl's text about a certificate that does not match the host, and the names in the certificate.
    struct Mismatch {
        let text: String
        var names: [String] = []
    }

    fileprivate func beginReadingCertificate() {
        mismatch = Mismatch(text: errorText)
        set(CURLOPT_CERTINFO, 1)
        // Makes ``willSend()`` reject the request.
        progress.sends = 1
    }

    /// The mismatch with the names in the certificate, after the repeated handshake; `nil` if there was no mismatch.
    func takeCertificateNames() -> Mismatch? {
        guard var mismatch else { return nil }
        progress.sends = 0
        if let names = unsafe gateway_easy_get_certificate(easy, "X509v3 Subject Alternative Name:") {
            mismatch.names = TLSFailure.names(unsafe String(cString: names))
        }
        return mismatch
    }
}
