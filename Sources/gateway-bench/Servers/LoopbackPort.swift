import Glibc

/// Ports on 127.0.0.1.
enum LoopbackPort {
    /// One that nobody listens on at the moment.
    static func free() -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = unsafe bind(descriptor, address, length)
                _ = unsafe getsockname(descriptor, address, &length)
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Whether somebody comes to listen on a port within five seconds.
    static func waitUntilListening(_ port: UInt16, while isAlive: () -> Bool) -> Bool {
        for _ in 0..<250 {
            guard isAlive() else { return false }
            if isListening(port) { return true }
            usleep(20_000)
        }
        return false
    }

    private static func isListening(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = address(port: port)
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
