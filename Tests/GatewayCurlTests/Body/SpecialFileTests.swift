import Foundation
import GatewayCore
import GatewayCurl
import TestTiers
import Testing

/// Files that are no regular files are neither waited for nor replaced.
@Suite(.tags(.concurrent)) final class SpecialFileTests {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

    init() throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    @Test func aPipeIsNotWaitedFor() async throws {
        let path = directory.appendingPathComponent("pipe").path
        try #require(mkfifo(path, 0o600) == 0)
        // Releases the waiters for the other end, and reports it.
        let wasWaitedFor = Locked(false)
        let isOver = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            if isOver.wait(timeout: .now() + 2) == .timedOut {
                let writer = open(path, O_WRONLY | O_NONBLOCK)
                wasWaitedFor.withLock { $0 = writer >= 0 }
                if writer >= 0 { close(writer) }
            }
            ended.signal()
        }
        let error = await failure { () throws(NetworkError) in
            try await CurlTransport().send(.post, "http://127.0.0.1:1", body: .file(path))
        }
        isOver.signal()
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                ended.wait()
                continuation.resume()
            }
        }
        #expect(error?.code == .bodyFailed)
        #expect(!wasWaitedFor.withLock { $0 })
    }

    @Test(arguments: ["/dev/zero", "/dev", "/proc/self/fd/missing"]) func whatIsNoFileIsRefused(path: String)
        async
    {
        let error = await failure { () throws(NetworkError) in
            try await CurlTransport().send(.post, "http://127.0.0.1:1", body: .file(path))
        }
        #expect(error?.code == .bodyFailed)
    }

    @Test func aDownloadReplacesFilesAlone() async throws {
        let path = directory.appendingPathComponent("pipe").path
        try #require(mkfifo(path, 0o600) == 0)
        let error = await failure { () throws(NetworkError) in
            try await ResponseBody.bytes([1]).write(toFile: path, upToBytes: 9)
        }
        #expect(error?.code == .other)
        var status = stat()
        #expect(lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["pipe"])
    }

    /// The limit of a file's size stands for a disk that is full: the system takes part of a write, and no more.
    @Test func aDownloadThatDoesNotFitLeavesNothing() async throws {
        let path = directory.appendingPathComponent("file").path
        let server = FaultServer { _ in ok(String(repeating: "x", count: 2_000_000)) }
        defer { server.stop() }
        let stream = try await CurlTransport().stream(.get, server.url).body
        var before = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        getrlimit(resource, &before)
        let action = signal(SIGXFSZ, SIG_IGN)
        var small = before
        small.rlim_cur = 1_500_001
        setrlimit(resource, &small)
        let error = await failure { () throws(NetworkError) in
            try await stream.write(toFile: path, upToBytes: .max)
        }
        setrlimit(resource, &before)
        signal(SIGXFSZ, action)
        #expect(error?.code == .other)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    }
}
