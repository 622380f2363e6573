import Foundation
import GatewayCore
import GatewayCurl

/// A socket on port 53 of a loopback address that never answers, and transports whose resolver asks it alone.
final class SilentNameServer: @unchecked Sendable {
    /// One for each process: several may run at once.
    private static let address = "127.53.\(getpid() >> 8 & 0xFF).\(getpid() & 0xFF)"

    /// Whether this process may have a mount namespace of its own. Tried on a thread that ends with it.
    static let isPossible = geteuid() == 0 && (onThread { unshare(mountsAndRoot) == 0 })

    /// `CLONE_NEWNS | CLONE_FS`.
    private static let mountsAndRoot: Int32 = 0x0002_0200

    private let descriptor: Int32

    /// `nil` where the port cannot be had.
    init?() {
        descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(53).bigEndian
        inet_pton(AF_INET, Self.address, &address.sin_addr)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            close(descriptor)
            return nil
        }
    }

    deinit { close(descriptor) }

    /// Whether a question has come in.
    var hasBeenAsked: Bool {
        var socket = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&socket, 1, 0) == 1
    }

    /// A transport whose threads see another `/etc/resolv.conf`: they inherit it from the one that starts them.
    func transport(_ change: @escaping @Sendable (inout CurlConfiguration) -> Void) -> CurlTransport? {
        Self.onThread {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try? Data("nameserver \(Self.address)\noptions timeout:5 attempts:1\n".utf8).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            // Private, or the mount would be seen by everybody.
            let privately = UInt(MS_REC) | UInt(MS_PRIVATE)
            guard Self.unshare(Self.mountsAndRoot) == 0, mount(nil, "/", nil, privately, nil) == 0,
                mount(file.path, "/etc/resolv.conf", nil, UInt(MS_BIND), nil) == 0
            else { return nil }
            return CurlTransport(configuration: CurlConfiguration(change))
        }
    }

    private static func onThread<Value: Sendable>(_ run: @escaping @Sendable () -> Value) -> Value {
        let result = Locked<Value?>(nil)
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let value = run()
            result.withLock { $0 = value }
            done.signal()
        }
        done.wait()
        guard let value = result.withLock({ $0 }) else { preconditionFailure("the thread gave nothing") }
        return value
    }

    /// `unshare(2)`, which Glibc's module leaves out.
    private static func unshare(_ flags: Int32) -> Int32 {
        guard let symbol = dlsym(nil, "unshare") else { return -1 }
        return unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Int32).self)(flags)
    }
}
