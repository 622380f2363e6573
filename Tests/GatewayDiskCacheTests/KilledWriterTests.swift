import Foundation
import GatewayCore
import GatewayDiskCache
import GatewayResilience
import GatewayTesting
import Testing

/// A process that is killed while it writes leaves whole responses or none.
@Suite struct KilledWriterTests {
    @Test func noTornBodyIsServedAfterAKill() async throws {
        let fixture = try DiskCacheFixture()
        var served = 0
        let seed = TestSeed.value(1)
        let rounds = SoakScale.rounds(7)
        for round in 0..<rounds {
            let writer = try CacheWriter(path: fixture.path, seed: seed &+ UInt64(round), bodyBytes: 200_000)
            // From no response to some dozens of them, and a part of the next one.
            writer.kill(afterStoring: round * 7 % 30, andMilliseconds: round % 5)
            let store = DiskCacheStore(path: fixture.path, byteLimit: 4 << 20)
            for target in 0..<16 {
                let key = CacheKey(
                    partition: CachePartition(owner: .account("writer")),
                    origin: try Origin("https://api.example.com"), target: "/\(target)")
                let heads = try await store.heads(for: key)
                #expect(heads.count <= 1, "a response was replaced by halves")
                for head in heads {
                    let body = try #require(try await store.body(of: head.id, for: key))
                    let byte = try #require(head.fields["X-Byte"].flatMap { UInt8($0) })
                    #expect(body.count == head.bodyBytes && body.allSatisfy { $0 == byte }, "a torn body")
                    served += 1
                }
            }
            await store.close()
        }
        #expect(rounds == 1 || served > 0, "the writers wrote nothing")
    }
}

/// A `gateway-cache-writer`.
private struct CacheWriter {
    private let id: pid_t
    /// The reading end of its output.
    private let output: Int32

    init(path: String, seed: UInt64, bodyBytes: Int) throws {
        let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "gateway-cache-writer").path
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        output = ends[0]
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addclose(&actions, ends[0])
        let words: [String] = [executable, path, "\(seed)", "\(bodyBytes)"]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var id = pid_t()
        let code = posix_spawn(&id, executable, &actions, nil, &arguments, environ)
        close(ends[1])
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
        self.id = id
    }

    /// Kills it in the middle of its work, when it has stored so many responses and some time has passed, and waits for its
    /// end.
    func kill(afterStoring count: Int, andMilliseconds pause: Int) {
        var (dots, byte) = (0, UInt8(0))
        while dots <= count, read(output, &byte, 1) == 1 { dots += 1 }
        usleep(UInt32(pause) * 1_000)
        Foundation.kill(id, SIGKILL)
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        close(output)
    }
}
