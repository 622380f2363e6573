import CLibcurl
import GatewayCore

/// The names that a server's certificate is for, where they do not include the host.
///
/// libcurl collects them only where that was asked for before the handshake, and then in every handshake. That makes a
/// handshake a quarter slower. So it is asked for once the host name did not match: the handshake is made again, and the
/// request is not sent, whatever comes of it.
extension CurlLoop {
    /// Starts the second handshake; `false` where none is needed, and nothing was done.
    func readsCertificate(of handle: EasyHandle, _ code: CURLcode) -> Bool {
        guard code == CURLE_PEER_FAILED_VERIFICATION, handle.mismatch == nil, handle.sends == 0,
            let pool = handle.pool, TLSFailure.isHostMismatch(handle.errorText)
        else { return false }
        handle.beginReadingCertificate()
        return pool.restart(handle)
    }
}

extension EasyHandle {
    /// What libcurl said of a host name that did not match, and the names that the certificate is for.
    struct Mismatch {
        let text: String
        var names: [String] = []
    }

    fileprivate func beginReadingCertificate() {
        mismatch = Mismatch(text: errorText)
        set(CURLOPT_CERTINFO, 1)
        // A request that was sent already is not sent again.
        sends = 1
    }

    /// The second handshake has ended: takes the names. It counts as part of the first.
    func takeCertificateNames() -> Mismatch? {
        guard var mismatch else { return nil }
        sends = 0
        if let names = unsafe gateway_easy_get_certificate(easy, "X509v3 Subject Alternative Name:") {
            mismatch.names = TLSFailure.names(unsafe String(cString: names))
        }
        return mismatch
    }
}
