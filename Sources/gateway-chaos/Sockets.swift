import GatewayLibC

/// A call of the system that failed.
struct SystemError: Error {
    let text: String

    init(_ what: String, _ code: Int32 = errno) {
        text = "\(what): \(unsafe String(cString: strerror(code)))"
    }
}

/// The calls for sockets. All are non-blocking, unless the name says otherwise, and TCP is on 127.0.0.1 alone.
enum Sockets {
    private static let flags =
        Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)

    static func close(_ descriptor: Int32) {
        _ = GatewayLibC.close(descriptor)
    }

    // MARK: TCP

    /// A socket that is bound to a port and does not listen.
    static func bound(port: UInt16) throws(SystemError) -> Int32 {
        let descriptor = try tcp()
        // Lets the listening socket share the port with the reservation and with old connections.
        set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        guard unsafe withAddress(port: port, { unsafe bind(descriptor, $0, $1) }) == 0 else {
            let error = SystemError("127.0.0.1:\(port) cannot be bound")
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// A socket that is connecting; -1 where that failed at once.
    static func connecting(port: UInt16) -> Int32 {
        guard let descriptor = try? tcp() else { return -1 }
        set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        let result = unsafe withAddress(port: port) { unsafe connect(descriptor, $0, $1) }
        if result == 0 || errno == EINPROGRESS { return descriptor }
        close(descriptor)
        return -1
    }

    /// The next connection, -1 if there is none, and the port of the client.
    static func accepted(from listener: Int32) -> (descriptor: Int32, port: UInt16) {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe accept(listener, $0, &length)
            }
        }
        if descriptor >= 0 { makeNonBlocking(descriptor) }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    private static func makeNonBlocking(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    }

    /// The port that a socket is bound to.
    static func port(of descriptor: Int32) -> UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length)
            }
        }
        return result == 0 ? UInt16(bigEndian: address.sin_port) : 0
    }

    /// The error that a socket has met, or 0.
    static func error(of descriptor: Int32) -> Int32 {
        var (code, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        let result = unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        return result == 0 ? code : errno
    }

    /// Sends the end of the stream.
    static func endWriting(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    /// Whether an attempt to connect has succeeded.
    static func isConnected(_ descriptor: Int32) -> Bool {
        var address = sockaddr()
        var length = socklen_t(MemoryLayout<sockaddr>.size)
        return unsafe getpeername(descriptor, &address, &length) == 0
    }

    /// Closes with a reset instead of an end.
    static func reset(_ descriptor: Int32) {
        var linger = linger(l_onoff: 1, l_linger: 0)
        _ = unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
        close(descriptor)
    }

    private static func tcp() throws(SystemError) -> Int32 {
        let descriptor = socket(AF_INET, flags, 0)
        guard descriptor >= 0 else { throw SystemError("a socket cannot be made") }
        return descriptor
    }

    private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        _ = unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func withAddress(
        port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    // MARK: Unix

    /// Listens on a path, which only this user can connect to. A socket that a process left behind is replaced.
    static func listening(path: String) throws(SystemError) -> Int32 {
        if let old = try? connected(path: path) {
            close(old)
            throw SystemError("the control socket \(path) is in use", EADDRINUSE)
        }
        if errno == ECONNREFUSED { unsafe unlink(path) }
        let descriptor = socket(AF_UNIX, flags, 0)
        let mask = umask(0o177)
        let result = unsafe try withAddress(path: path) { unsafe bind(descriptor, $0, $1) }
        let error = SystemError("the control socket \(path) cannot be bound")
        umask(mask)
        guard result == 0, listen(descriptor, 16) == 0 else {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// A blocking connection to a path.
    static func connected(path: String) throws(SystemError) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard unsafe try withAddress(path: path, { unsafe connect(descriptor, $0, $1) }) == 0 else {
            let code = errno
            close(descriptor)
            errno = code
            throw SystemError("no proxy listens on the control socket \(path)", code)
        }
        return descriptor
    }

    private static func withAddress(
        path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(SystemError) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        // With its NUL.
        guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw SystemError("the path of the control socket", ENAMETOOLONG)
        }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    // MARK: Bytes

    /// What was read: `nil` if nothing is there now, empty at the end.
    static func read(_ descriptor: Int32, upTo count: Int) throws(SystemError) -> [UInt8]? {
        var failure: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            let received = unsafe recv(descriptor, buffer.baseAddress, count, 0)
            failure = received < 0 ? errno : 0
            initialized = max(0, received)
        }
        if failure == EAGAIN || failure == EINTR { return nil }
        guard failure == 0 else { throw SystemError("a connection cannot be read", failure) }
        return bytes
    }

    /// The number of bytes that were written.
    static func write(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) throws(SystemError) -> Int {
        let count = unsafe bytes.withUnsafeBytes {
            unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if count < 0, errno == EAGAIN || errno == EINTR { return 0 }
        guard count >= 0 else { throw SystemError("a connection cannot be written") }
        return count
    }
}
