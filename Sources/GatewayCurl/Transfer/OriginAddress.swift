import CLibcurl
import GatewayCore

/// The parsed URL of an origin. Why: libcurl would parse a text for each request.
@safe
final class OriginAddress {
    private var url: OpaquePointer?

    deinit { unsafe curl_url_cleanup(url) }

    /// Sets the origin of a handle; `false` if libcurl rejects it. The handle must be released before this object.
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
