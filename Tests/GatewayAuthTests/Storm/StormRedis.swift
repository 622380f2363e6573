import Foundation
import GatewayAuth
import GatewayCore
import GatewayTesting

/// A Redis server of a storm's own, which writes each change to its disk, and what happens to it.
final class StormRedis: StormStore {
    struct Unusable: Error {}

    static let executable = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { String($0) + "/redis-server" }.first { (path: String) in access(path, X_OK) == 0 }

    let kind = StormRound.Store.redis
    private let directory = TemporaryDirectory()
    private let port: UInt16
    /// The shell that runs the server ends it when this is closed, and so when this process ends.
    private let running = Locked<(lifeline: Int32, shell: pid_t)?>(nil)
    private let prefix = "storm:"

    init() async throws {
        port = try Self.freePort()
        try await start()
    }

    /// Locks live for 0.5 s, which is less than processes are stopped, and a command may take 0.3 s.
    var address: String { "redis:\(port)/\(prefix)/500/300" }

    var witness: String? { directory.path("witness") }
    var canBeFilled: Bool { false }

    func close() async { stop() }

    func perform(_ event: StormRound.Event, noting journal: StormJournal) async throws {
        let place = prefix + TokenKey.default.digest
        switch event {
        case .pause(let duration):
            await command("CLIENT", "PAUSE", String(duration), "ALL")
            await StormClock.pause(duration)
        case .restart(let down):
            stop()
            await StormClock.pause(down)
            try await start()
        case .scriptFlush: await command("SCRIPT", "FLUSH")
        case .deleteRecord:
            journal.note("driver", .lost("FLUSHALL"))
            await command("FLUSHALL")
        case .damage(let damage):
            guard let record = await command("HGET", place, "record") else { return }
            journal.note("driver", .lost(damage.rawValue))
            let damaged = StormFiles.damaged(record, damage)
            await command(Array("HSET".utf8), Array(place.utf8), Array("record".utf8), damaged)
            if damage == .generation { await command("HSET", place, "generation", String(UInt64.max)) }
        default: break
        }
    }

    // MARK: The server

    private func start() async throws {
        guard let server = Self.executable else { throw Unusable() }
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw Unusable()
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
        posix_spawn_file_actions_addopen(
            &actions, 1, directory.path("log"), O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // A shell that inherits the blocked signals of Swift's threads never hears that the server is gone.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let script = """
            \(server) --port \(port) --bind 127.0.0.1 --dir \(directory.path) --save '' --appendonly yes \
            --appendfsync always < /dev/null &
            server=$!; read -r _; kill -KILL $server; wait $server
            """
        var arguments = [strdup("sh"), strdup("-c"), strdup(script), nil]
        defer { for text in arguments { free(text) } }
        var shell = pid_t()
        let code = posix_spawn(&shell, "/bin/sh", &actions, &attributes, &arguments, environ)
        Foundation.close(ends[0])
        guard code == 0 else { throw Unusable() }
        running.withLock { $0 = (ends[1], shell) }
        await StormClock.wait(10_000, pausing: 5) { await command("PING") == Array("PONG".utf8) }
    }

    private func stop() {
        let running = running.withLock { running in
            defer { running = nil }
            return running
        }
        guard let running else { return }
        Foundation.close(running.lifeline)
        while waitpid(running.shell, nil, 0) < 0, errno == EINTR {}
    }

    private static func freePort() throws -> UInt16 {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { Foundation.close(socket) }
        var address = loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        guard isBound else { throw Unusable() }
        return UInt16(bigEndian: address.sin_port)
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    // MARK: Commands

    @discardableResult
    private func command(_ words: String...) async -> [UInt8]? {
        await Self.run(words.map { Array($0.utf8) }, port)
    }

    @discardableResult
    private func command(_ words: [UInt8]...) async -> [UInt8]? { await Self.run(words, port) }

    /// Sends a command over a connection of its own, on a thread of its own, and gives the text of the answer.
    private static func run(_ words: [[UInt8]], _ port: UInt16) async -> [UInt8]? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: exchange(words, port)) }
        }
    }

    private static func exchange(_ words: [[UInt8]], _ port: UInt16) -> [UInt8]? {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { Foundation.close(socket) }
        var limit = timeval(tv_sec: 2, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = loopback(port)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { return nil }
        var request = Array("*\(words.count)\r\n".utf8)
        for word in words { request += Array("$\(word.count)\r\n".utf8) + word + Array("\r\n".utf8) }
        guard send(socket, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else { return nil }
        var answer: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(socket, &part, part.count, 0)
            guard count > 0 else { return nil }
            answer += part[..<count]
            guard let line = answer.firstIndex(of: UInt8(ascii: "\n")) else { continue }
            let head = String(decoding: answer[1..<(line - 1)], as: UTF8.self)
            guard answer[0] == UInt8(ascii: "$") else { return Array(head.utf8) }
            guard let length = Int(head), length >= 0 else { return nil }
            if answer.count >= line + 1 + length { return Array(answer[(line + 1)...].prefix(length)) }
        }
    }
}
