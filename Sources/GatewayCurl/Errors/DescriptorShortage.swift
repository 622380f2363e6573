import CLibcurl
import GatewayCore
private import GatewayLibC

/// Distinguishes a lack of file descriptors from the errors that libcurl reports for it.
enum DescriptorShortage {
    /// The number of descriptors that connecting may need at the same time: a socket pair and a file for the resolver,
    /// or a socket and a certificate file. libcurl has closed its own when it reports the failure.
    private static let needed = 4

    /// Whether libcurl may return this code, before it sends anything, because no file descriptor is available.
    ///
    /// - Parameter systemError: the `errno` of connecting, 0 if there is none. With another `errno` the host was
    ///   reached.
    static func mayCause(_ code: CURLcode, _ systemError: Int32) -> Bool {
        switch code {
        case CURLE_COULDNT_CONNECT: systemError == 0 || NetworkError.isDescriptorShortage(systemError)
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_OUT_OF_MEMORY,
            CURLE_FAILED_INIT, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM:
            true
        default: false
        }
    }

    /// Whether there are currently too few descriptors to connect.
    static var isNow: Bool {
        var descriptors: [Int32] = []
        defer { for descriptor in descriptors { _ = close(descriptor) } }
        while descriptors.count < needed {
            let descriptor = eventfd(0, Int32(EFD_CLOEXEC))
            guard descriptor >= 0 else { return NetworkError.isDescriptorShortage(errno) }
            descriptors.append(descriptor)
        }
        return false
    }
}
