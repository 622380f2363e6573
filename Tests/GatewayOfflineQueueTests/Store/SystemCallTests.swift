import Foundation
import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayOfflineQueue

/// The order of a process's calls of the system: a kill shows nothing of it, since the page cache survives that.
@Suite(.timeLimit(.minutes(10))) struct SystemCallTests {
    /// The program, if it is installed and may trace a process.
    private static let strace = ["/usr/bin/strace", "/bin/strace"].first {
        FileManager.default.isExecutableFile(atPath: $0)
            && (try? run([$0, "-o", "/dev/null", "-e", "trace=close", "/bin/true"])) == 0
    }

    /// queue.durable-ticket
    @Test(
        .enabled(if: RealTime.isJudged, "The process is a sanitizer's."),
        .enabled(if: strace != nil, "strace is not installed, or must not trace a process here."))
    func everyRowIsSyncedBeforeItsTicket() throws {
        let strace = try #require(Self.strace)
        let directory = QueueDirectory()
        let trace = directory.path + "/trace"
        let writer = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "gateway-queue-writer").path
        let count = SoakScale.rounds(1_000)
        let calls = "trace=openat,close,pwrite64,write,ftruncate,fdatasync,fsync"
        let words = [strace, "-o", trace, "-e", calls, writer, directory.file, "\(count)"]
        try #require(try Self.run(words) == 0, "the writer failed")
        var files: [Substring: String] = [:]
        var unsynced: Set<Substring> = []
        var (tickets, hasRow) = (0, false)
        // The names of the file and of its journal.
        var nameSyncs: [Int] = []
        for line in try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n") {
            guard let open = line.firstIndex(of: "("), let equals = line.lastIndex(of: "=") else { continue }
            let call = line[..<open]
            let result = line[line.index(after: equals)...].drop { $0 == " " }
            let descriptor = line[line.index(after: open)...].prefix { $0.isNumber }
            switch call {
            case "openat":
                let path =
                    line.split(separator: "\"", omittingEmptySubsequences: false).dropFirst().first ?? ""
                files[result.prefix { $0.isNumber }] = String(path)
            case "close": files[descriptor] = nil
            case "pwrite64", "ftruncate":
                unsynced.insert(descriptor)
                if call == "pwrite64", files[descriptor] == directory.file { hasRow = true }
            case "fdatasync", "fsync":
                if result == "0" { unsynced.remove(descriptor) }
                if result == "0", files[descriptor]?.hasPrefix(directory.path) == true,
                    files[descriptor].map({ $0.count <= directory.path.count + 1 }) == true
                {
                    nameSyncs.append(tickets)
                }
            case "write" where line.contains("\"ticket "):
                #expect(hasRow && unsynced.isEmpty, "ticket \(tickets)")
                (tickets, hasRow) = (tickets + 1, false)
            default: break
            }
        }
        #expect(tickets == count)
        // Of the file, and of its journal: at once, and by SQLite before the first bytes of the transaction are in place.
        #expect(nameSyncs.count == 3 && nameSyncs.allSatisfy { $0 == 0 })
    }

    /// Runs a program to its end.
    private static func run(_ words: [String]) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in 1...2 as ClosedRange<Int32> {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
        }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var id = pid_t()
        let code = posix_spawn(&id, words[0], &actions, nil, &arguments, environ)
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        return status
    }
}
