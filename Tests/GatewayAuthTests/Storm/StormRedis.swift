import Foundation
import GatewayAuth
import GatewayCore
import GatewayTesting
import TokenProbing

/// A Redis server of a storm's own, which writes each change to its disk, and what happens to it.
final class StormRedis: StormStore {
    let kind = StormRound.Store.redis
    private let directory = TemporaryDirectory()
    private let server: RedisProcess
    private let prefix = "storm:"

    init() async throws {
        server = try RedisProcess(
            directory: directory.path, options: "--appendonly yes --appendfsync always")
        await waitUntilItListens()
    }

    /// Locks live for 0.5 s, which is less than processes are stopped, and a command may take 0.3 s.
    var address: String { "redis:\(server.port)/\(prefix)/500/300" }

    var witness: String? { directory.path("witness") }
    var canBeFilled: Bool { false }

    func close() async { server.stop() }

    func perform(_ event: StormRound.Event, noting journal: StormJournal) async throws {
        let place = prefix + TokenKey.default.digest
        switch event {
        case .pause(let duration):
            await command("CLIENT", "PAUSE", String(duration), "ALL")
            await StormClock.pause(duration)
        case .restart(let down):
            server.stop()
            await StormClock.pause(down)
            try server.start()
            await waitUntilItListens()
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

    private func waitUntilItListens() async {
        await StormClock.wait(30_000, pausing: 5) { await command("PING") == Array("PONG".utf8) }
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
        await Self.run(words.map { Array($0.utf8) }, server.port)
    }

    @discardableResult
    private func command(_ words: [UInt8]...) async -> [UInt8]? { await Self.run(words, server.port) }

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
