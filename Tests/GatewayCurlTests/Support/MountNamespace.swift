import Foundation
import GatewayCore
import GatewayCurl

/// Threads that see another file or folder than the rest of the process where one stands.
enum MountNamespace {
    /// Whether this process may have one. Tried on a thread that ends with it.
    static let isPossible = geteuid() == 0 && (onThread { unshare(mountsAndRoot) == 0 })

    /// `CLONE_NEWNS | CLONE_FS`.
    private static let mountsAndRoot: Int32 = 0x0002_0200

    /// A transport whose threads see `source` at `path`: they inherit it from the one that starts them. `nil` where
    /// the system refuses.
    static func transport(
        showing source: String, at path: String,
        _ change: @escaping @Sendable (inout CurlConfiguration) -> Void
    ) -> CurlTransport? {
        onThread {
            // Private, or the mount would be seen by everybody.
            let privately = UInt(MS_REC) | UInt(MS_PRIVATE)
            guard unshare(mountsAndRoot) == 0, mount(nil, "/", nil, privately, nil) == 0,
                mount(source, path, nil, UInt(MS_BIND), nil) == 0
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
