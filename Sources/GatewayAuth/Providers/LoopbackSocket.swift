import GatewayCore
private import GatewayLibC

/// A socket that listens on a loopback address.
final class LoopbackSocket: Sendable {
    /// The loopback addresses.
    enum Address: Sendable { case ipv4, ipv6 }

    /// The error of listening on an address: the system's `errno`.
    struct Failure: Error {
        let code: Int32
        var isInUse: Bool { code == EADDRINUSE }
        var isForbidden: Bool { code == EACCES }
        /// Whether the machine has no such address.
        var isWithoutAddress: Bool { code == EAFNOSUPPORT || code == EADDRNOTAVAIL }
    }

    let descriptor: Int32
    let port: UInt16

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - address: the address.
    ///   - port: the port; 0 for a free one.
    init(_ address: Address, port: UInt16) throws(Failure) {
        let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address == .ipv4 ? AF_INET : AF_INET6, flags, 0)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        // A fixed port can be used despite closed connections of a previous sign-in. Linux still rejects a
        // port that is in use.
        if port != 0 { Self.enable(SO_REUSEADDR, SOL_SOCKET, descriptor) }
        if address == .ipv6 { Self.enable(IPV6_V6ONLY, Int32(IPPROTO_IPV6), descriptor) }
        guard Self.bind(descriptor, address, port), listen(descriptor, 128) == 0,
            let bound = Self.port(of: descriptor)
        else {
            let code = errno
            close(descriptor)
            throw Failure(code: code)
        }
        self.descriptor = descriptor
        self.port = bound
    }

    deinit { close(descriptor) }

    /// Stops listening. A thread that polls the socket wakes up.
    func stop() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    private static func enable(_ option: Int32, _ level: Int32, _ descriptor: Int32) {
        var yes: Int32 = 1
        _ = unsafe setsockopt(descriptor, level, option, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func bind(_ descriptor: Int32, _ address: Address, _ port: UInt16) -> Bool {
        switch address {
        case .ipv4:
            var place = sockaddr_in()
            place.sin_family = sa_family_t(AF_INET)
            place.sin_port = port.bigEndian
            place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return unsafe withUnsafeBytes(of: &place) { unsafe bind(descriptor, $0) }
        case .ipv6:
            var place = sockaddr_in6()
            place.sin6_family = sa_family_t(AF_INET6)
            place.sin6_port = port.bigEndian
            unsafe withUnsafeMutableBytes(of: &place.sin6_addr) { unsafe $0[15] = 1 }
            return unsafe withUnsafeBytes(of: &place) { unsafe bind(descriptor, $0) }
        }
    }

    private static func bind(_ descriptor: Int32, _ place: UnsafeRawBufferPointer) -> Bool {
        guard let base = place.baseAddress else { return false }
        return unsafe GatewayLibC.bind(
            descriptor, unsafe base.assumingMemoryBound(to: sockaddr.self), socklen_t(place.count)) == 0
    }

    /// The port has the same offset in both address types.
    private static func port(of descriptor: Int32) -> UInt16? {
        var place = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let found = unsafe withUnsafeMutablePointer(to: &place) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length)
            }
        }
        return found == 0 ? UInt16(bigEndian: place.sin6_port) : nil
    }
}

extension LoopbackSocket {
    /// The maximum number of free ports to try, if only one of the two addresses has the port.
    private static let attempts = 16

    /// Listens on the addresses of a redirect URI.
    ///
    /// - Returns: the sockets, one or two, all with the same port.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `redirectUnavailable`.
    static func open(_ redirect: LoopbackRedirect) throws(NetworkError) -> [LoopbackSocket] {
        switch redirect.host {
        case .ipv4: [try one(.ipv4, redirect)]
        case .ipv6: [try one(.ipv6, redirect)]
        case .localhost: try both(redirect)
        }
    }

    private static func one(
        _ address: Address, _ redirect: LoopbackRedirect
    ) throws(NetworkError) -> LoopbackSocket {
        do throws(Failure) { return try LoopbackSocket(address, port: redirect.port) } catch {
            throw unavailable(redirect, error)
        }
    }

    /// Listens on both addresses, or on the one that the machine has. A port that another program uses on
    /// one of them is not used, because the browser could connect to that program.
    private static func both(_ redirect: LoopbackRedirect) throws(NetworkError) -> [LoopbackSocket] {
        var failure = Failure(code: EADDRINUSE)
        for _ in 0..<(redirect.port == 0 ? attempts : 1) {
            do throws(Failure) {
                guard let first = try optional(.ipv4, port: redirect.port) else {
                    return [try LoopbackSocket(.ipv6, port: redirect.port)]
                }
                return [first] + (try optional(.ipv6, port: first.port).map { [$0] } ?? [])
            } catch { failure = error }
        }
        throw unavailable(redirect, failure)
    }

    /// `nil` if the machine does not have the address.
    private static func optional(_ address: Address, port: UInt16) throws(Failure) -> LoopbackSocket? {
        do throws(Failure) { return try LoopbackSocket(address, port: port) } catch {
            guard error.isWithoutAddress else { throw error }
            return nil
        }
    }

    private static func unavailable(_ redirect: LoopbackRedirect, _ failure: Failure) -> NetworkError {
        let message =
            if redirect.port == 0 {
                "No port of \(redirect.host.rawValue) is free for the redirect (errno \(failure.code))."
            } else if failure.isInUse {
                "Port \(redirect.port) of \(redirect.host.rawValue) is already in use: end the program that uses it, "
                    + "or configure another registered redirect URI."
            } else if failure.isForbidden {
                "Port \(redirect.port) requires privileges: configure a registered redirect URI with a port above 1023."
            } else {
                "Port \(redirect.port) of \(redirect.host.rawValue) cannot be listened on (errno \(failure.code))."
            }
        return NetworkError(.redirectUnavailable, message)
    }
}
