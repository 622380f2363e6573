import CLibcurl
import CLibssl
import GatewayCore
private import GatewayLibC

/// The functions that libcurl calls. Each one finds its object and passes the arguments on.
enum CurlCallbacks {
    static let header: curl_write_callback = { bytes, size, count, context in
        guard let handle = unsafe handle(context) else { return 0 }
        let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
        return unsafe handle._withUnsafeGuaranteedRef { unsafe $0.receive(header: line) } ? size * count : 0
    }

    static let body: curl_write_callback = { bytes, size, count, context in
        guard let handle = unsafe handle(context) else { return 0 }
        let piece = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
        switch unsafe handle._withUnsafeGuaranteedRef({ unsafe $0.receive(body: piece) }) {
        case .taken: return size * count
        case .pause: return Int(CURL_WRITEFUNC_PAUSE)
        case .abort: return 0
        }
    }

    static let read: curl_read_callback = { bytes, size, count, context in
        guard let handle = unsafe handle(context) else { return Int(CURL_READFUNC_ABORT) }
        let buffer = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
        return unsafe handle._withUnsafeGuaranteedRef { unsafe $0.send(into: buffer) }
    }

    /// The body cannot be rewound, because that would send it again.
    static let seek: curl_seek_callback = { _, _, _ in CURL_SEEKFUNC_FAIL }

    static let prerequest: curl_prereq_callback = { context, peer, _, peerPort, localPort in
        guard let handle = unsafe handle(context) else { return CURL_PREREQFUNC_ABORT }
        let ends = unsafe EpollSet.Ends(peer: peer, peerPort: peerPort, localPort: localPort)
        return unsafe handle._withUnsafeGuaranteedRef { unsafe $0.willSend(on: ends) }
            ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }

    static let openSocket: curl_opensocket_callback = { context, _, address in
        guard let handle = unsafe handle(context), let address = unsafe address else {
            return CURL_SOCKET_BAD
        }
        // No connection is opened for a request that must not be sent again.
        guard unsafe handle._withUnsafeGuaranteedRef({ $0.mayOpen() }) else { return CURL_SOCKET_BAD }
        let descriptor = unsafe socket(
            address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
            address.pointee.protocol)
        let lacksDescriptor = descriptor < 0 && NetworkError.isDescriptorShortage(errno)
        unsafe handle._withUnsafeGuaranteedRef { handle in
            handle.progress.lacksDescriptor = lacksDescriptor
            if descriptor >= 0 { handle.didOpen(descriptor) }
        }
        return descriptor
    }

    static let closeSocket: curl_closesocket_callback = { context, descriptor in
        if let loop = unsafe loop(context) {
            unsafe loop._withUnsafeGuaranteedRef {
                if let handle = $0.sockets.willClose(descriptor) { $0.unconnected.append(handle) }
                $0.socketOrigins[descriptor] = nil
                $0.watchdog?.willClose(descriptor)
            }
        }
        return close(descriptor)
    }

    /// Receives libcurl's debug texts. The data that it sends and receives is ignored.
    static let note: curl_debug_callback = { _, kind, bytes, size, context in
        guard kind == CURLINFO_TEXT, let handle = unsafe handle(context) else { return 0 }
        let text = unsafe UnsafeRawBufferPointer(start: bytes, count: size)
        unsafe handle._withUnsafeGuaranteedRef { unsafe $0.receive(note: text) }
        return 0
    }

    /// Initialises the context of a new TLS session.
    static let sessionSetup: curl_ssl_ctx_callback = { _, context, loop in
        unsafe gateway_tls_observe(context, sessionEvent, loop)
        return CURLE_OK
    }

    private static let sessionEvent: @convention(c) (OpaquePointer?, Int32, Int32) -> Void = {
        session, what, code in
        guard gateway_tls_is_end(what, code) != 0, let loop = unsafe loop(gateway_tls_application(session))
        else { return }
        let address = UInt(bitPattern: session)
        unsafe loop._withUnsafeGuaranteedRef { $0.sessions[address]?.hasSessionEnded = true }
    }

    static let socketInterest: curl_socket_callback = { easy, descriptor, what, context, _ in
        guard let pool = unsafe pool(context) else { return 0 }
        if what != CURL_POLL_REMOVE, let easy = unsafe easy,
            let handle = unsafe handle(gateway_easy_get_private(easy))
        {
            unsafe handle._withUnsafeGuaranteedRef { handle in
                handle.progress.socket = descriptor
                handle.progress.link = handle.withLoop { $0.sockets.link(of: descriptor) }
            }
        }
        unsafe pool._withUnsafeGuaranteedRef { pool in
            let index = pool.index
            pool.withLoop { loop in
                if what == CURL_POLL_REMOVE {
                    loop.sockets.unwant(descriptor)
                } else {
                    loop.sockets.want(
                        descriptor, of: index, readable: what & CURL_POLL_IN != 0,
                        writable: what & CURL_POLL_OUT != 0)
                }
            }
        }
        return 0
    }

    static let timer: curl_multi_timer_callback = { _, milliseconds, context in
        if let pool = unsafe pool(context) {
            unsafe pool._withUnsafeGuaranteedRef { pool in
                pool.setTimer(milliseconds: milliseconds, now: pool.withLoop { $0.systemNow })
            }
        }
        return 0
    }

    private static func handle(_ context: UnsafeMutableRawPointer?) -> Unmanaged<EasyHandle>? {
        unsafe context.map { unsafe Unmanaged.fromOpaque($0) }
    }

    private static func pool(_ context: UnsafeMutableRawPointer?) -> Unmanaged<CurlPool>? {
        unsafe context.map { unsafe Unmanaged.fromOpaque($0) }
    }

    private static func loop(_ context: UnsafeMutableRawPointer?) -> Unmanaged<CurlLoop>? {
        unsafe context.map { unsafe Unmanaged.fromOpaque($0) }
    }
}
