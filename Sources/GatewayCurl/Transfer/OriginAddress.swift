import CLibcurl
import GatewayCore

/// An origin's URL, parsed once: given as text, libcurl would parse it for each request.
@safe
final class OriginAddress {
    private var url: OpaquePointer?

    deinit { unsafe curl_url_cleanup(url) }

    /// Makes a handle use an origin; `false` where libcurl refuses. The handle must go before this object does.
    func update(_ origin: Origin, _ easy: UnsafeMutableRawPointer) -> Bool {
        guard let new = unsafe curl_url() else { return false }
        guard unsafe curl_url_set(new, CURLUPART_URL, "\(origin)/", 0) == CURLUE_OK,
            unsafe gateway_easy_set_url(easy, new) == CURLE_OK
        else {
            unsafe curl_url_cleanup(new)
            return false
        }
        unsafe curl_url_cleanup(url)
        unsafe url = new
        return true
    }
}
