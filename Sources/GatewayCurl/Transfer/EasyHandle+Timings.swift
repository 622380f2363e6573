import CLibcurl
import GatewayCore

extension EasyHandle {
    /// The durations and sizes. Each one is a libcurl call, so this is used only if exchanges are observed.
    func timings(queued: Int64) -> ExchangeTimings {
        var timings = ExchangeTimings()
        timings.isReused =
            progress.sends > 0 && (unsafe gateway_easy_get_long(easy, CURLINFO_NUM_CONNECTS)) == 0
        timings.queue = .nanoseconds(queued)
        let resolved = microseconds(CURLINFO_NAMELOOKUP_TIME_T)
        let connected = microseconds(CURLINFO_CONNECT_TIME_T)
        let secured = microseconds(CURLINFO_APPCONNECT_TIME_T)
        let begun = microseconds(CURLINFO_STARTTRANSFER_TIME_T)
        let total = microseconds(CURLINFO_TOTAL_TIME_T)
        if !timings.isReused {
            timings.resolve = Self.span(0, resolved)
            timings.connect = Self.span(resolved, connected)
            timings.tls = Self.span(connected, secured)
        }
        if reader.hasBegun {
            timings.firstByte = Self.span(microseconds(CURLINFO_PRETRANSFER_TIME_T), begun)
            timings.receive = Self.span(begun, total)
        }
        timings.total = timings.queue + .microseconds(total)
        timings.sentBytes = Int64(unsafe gateway_easy_get_offset(easy, CURLINFO_SIZE_UPLOAD_T))
        timings.receivedBytes = Int64(unsafe gateway_easy_get_offset(easy, CURLINFO_SIZE_DOWNLOAD_T))
        timings.tcp = tcpSample
        timings.connection = connection
        return timings
    }

    /// The protocol and the peer of the transfer's connection; `nil` if there is none yet.
    var connection: ConnectionInfo? {
        let address = unsafe gateway_easy_get_text(easy, CURLINFO_PRIMARY_IP).map {
            unsafe String(cString: $0)
        }
        let port = unsafe gateway_easy_get_long(easy, CURLINFO_PRIMARY_PORT)
        let version: ConnectionInfo.HTTPVersion? =
            switch unsafe gateway_easy_get_long(easy, CURLINFO_HTTP_VERSION) {
            case Int(CURL_HTTP_VERSION_1_0): .http1_0
            case Int(CURL_HTTP_VERSION_1_1): .http1_1
            case Int(CURL_HTTP_VERSION_2_0): .http2
            case Int(CURL_HTTP_VERSION_3): .http3
            default: nil
            }
        let isOverIP = port > 0 && address?.isEmpty == false
        guard isOverIP || version != nil else { return nil }
        return ConnectionInfo(
            version: version, address: isOverIP ? address : nil, port: isOverIP ? port : nil)
    }

    /// The kernel's data about the connection. After the transfer libcurl returns the socket if it is still open.
    /// During the transfer it is the socket that libcurl has waited for since the request was sent.
    private var tcpSample: TCPSample? {
        var descriptor = unsafe gateway_easy_get_socket(easy)
        if descriptor == CURL_SOCKET_BAD, !progress.hasEnded, progress.sends == 1 {
            descriptor = progress.socket
        }
        var sample = gateway_tcp_sample()
        guard descriptor != CURL_SOCKET_BAD, unsafe gateway_tcp_sample(descriptor, &sample) != 0 else {
            return nil
        }
        return TCPSample(
            roundTripTime: .microseconds(Int64(sample.round_trip)),
            roundTripTimeVariation: .microseconds(Int64(sample.round_trip_variation)),
            retransmitCount: Int(sample.retransmits),
            congestionWindowSegments: Int(sample.congestion_window))
    }

    private func microseconds(_ info: CURLINFO) -> Int {
        Int(unsafe gateway_easy_get_offset(easy, info))
    }

    /// The time between two instants; `nil` if the later one was not reached.
    private static func span(_ from: Int, _ to: Int) -> Duration? {
        to > 0 ? .microseconds(max(0, to - from)) : nil
    }
}
