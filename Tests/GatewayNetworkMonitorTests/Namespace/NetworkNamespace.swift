import Foundation
import GatewayCore
import GatewayTesting

@testable import GatewayNetworkMonitor

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A network namespace of this machine with a pair of connected interfaces, `v0` and `p0`. It ends with its owner.
final class NetworkNamespace: Sendable {
    struct CommandFailure: Error {
        let arguments: [String]
        let status: Int32
    }

    private static let prefix = "gateway-test-"
    private static let last = Locked(0)

    /// Whether this process may make namespaces.
    static let isAvailable: Bool = (try? NetworkNamespace()) != nil
    /// Whether tests fail where it may not.
    static let isRequired = ProcessInfo.processInfo.environment["GATEWAY_REQUIRE_NETNS"] != nil
    /// Where tests run or fail.
    static let isEnabled = isAvailable || isRequired

    let name: String

    /// - Parameter address: of `v0`; `nil` for a pair that is down.
    init(address: String? = "10.99.0.1/24") throws {
        Self.removeAbandoned()
        let number = Self.last.withLock { last in
            last += 1
            return last
        }
        name = "\(Self.prefix)\(getpid())-\(number)"
        try Self.execute(["netns", "add", name])
        try ip("link", "add", "v0", "type", "veth", "peer", "name", "p0")
        try batch(Self.quickNeighbors(of: "v0") + Self.quickNeighbors(of: "p0"))
        guard let address else { return }
        try ip("link", "set", "p0", "up")
        try ip("addr", "add", address, "dev", "v0")
        try ip("link", "set", "v0", "up")
        try waitForCarrier(of: "v0")
    }

    deinit { try? Self.execute(["netns", "del", name]) }

    /// Commands of `ip` with which the kernel asks for the link-layer address of a neighbor again after 50 ms, of IPv4 and
    /// IPv6. After 1 s, which is the default, a request that is lost while a link comes up decides when the first call succeeds.
    /// An interface that moves to another namespace gets the default again.
    static func quickNeighbors(of interface: String) -> [String] {
        ["arp_cache", "ndisc_cache"].map { "ntable change name \($0) dev \(interface) retrans 50" }
    }

    /// Returns when an interface is live, which it is a moment after both ends are up.
    func waitForCarrier(of interface: String) throws {
        let isLive = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [self] in
            guard enter() else { return }
            var dump = NetlinkDump()
            for _ in 0..<60_000 {
                let links = (try? dump.read())?.links.values
                if links?.contains(where: { $0.name == interface && $0.isLive }) == true {
                    isLive.signal()
                    return
                }
                usleep(1_000)
            }
        }
        guard isLive.wait(timeout: .now() + .seconds(60)) == .success else {
            throw WaitFailure(description: "\(interface) had no carrier in 60 s")
        }
    }

    /// Runs `ip` in the namespace.
    func ip(_ arguments: String...) throws { try Self.execute(["-n", name] + arguments) }

    /// Runs `ip` in the namespace, on a thread that may wait for it.
    func ip(_ arguments: [String]) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            DispatchQueue.global().async { [name] in
                continuation.resume(with: Result { try Self.execute(["-n", name] + arguments) })
            }
        }
    }

    /// Runs `tc` in the namespace, on a thread that may wait for it.
    func tc(_ arguments: String...) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            DispatchQueue.global().async { [name] in
                continuation.resume(
                    with: Result { try Self.execute(["-n", name] + arguments, program: "tc") })
            }
        }
    }

    /// Runs several commands of `ip` by one process.
    func batch(_ commands: [String]) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(name).batch").path
        try commands.joined(separator: "\n").appending("\n").write(
            toFile: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: file) }
        try Self.execute(["-n", name, "-batch", file])
    }

    /// Moves the calling thread into the namespace.
    func enter() -> Bool {
        let file = open("/run/netns/\(name)", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        // The Glibc module leaves it out.
        guard let symbol = dlsym(nil, "setns") else { return false }
        typealias Function = @convention(c) (Int32, Int32) -> Int32
        let networkNamespaces: Int32 = 0x4000_0000
        return unsafeBitCast(symbol, to: Function.self)(file, networkNamespaces) == 0
    }

    /// Removes namespaces of test processes that were killed.
    private static func removeAbandoned() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/run/netns")) ?? []
        where name.hasPrefix(prefix) {
            guard let id = pid_t(name.dropFirst(prefix.count).prefix { $0 != "-" }), id != getpid(),
                kill(id, 0) != 0
            else { continue }
            try? execute(["netns", "del", name])
        }
    }

    private static func execute(_ arguments: [String], program: String = "ip") throws {
        let status = try execute(arguments, program: program, output: "/dev/null")
        guard status == 0 else { throw CommandFailure(arguments: arguments, status: status) }
    }

    /// Runs a program, and returns what `waitpid` says of its end.
    ///
    /// - Parameter output: the file for what it prints.
    @discardableResult
    static func execute(_ arguments: [String], program: String, output: String) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        let words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var id = pid_t()
        let code = posix_spawnp(&id, program, &actions, nil, words, environ)
        guard code == 0 else { throw CommandFailure(arguments: arguments, status: code) }
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        // The exit status; a signal is above all of those.
        return status & 0x7f == 0 ? status >> 8 & 0xff : 256 + (status & 0x7f)
    }
}
