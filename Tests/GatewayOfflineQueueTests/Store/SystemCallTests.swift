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

    private let directory = QueueDirectory()

    /// queue.durable-ticket, queue.journal-name
    @Test(
        .enabled(if: RealTime.isJudged, "The process is a sanitizer's."),
        .enabled(if: strace != nil, "strace is not installed, or must not trace a process here."))
    func everyRowIsSyncedBeforeItsTicket() throws {
        let count = SoakScale.rounds(334)
        try #require(try write(count) == 0, "the writer failed")
        let trace = try Trace(directory)
        #expect(trace.tickets == count && trace.undurable.isEmpty, "\(trace.undurable)")
        // Of the file, and of its journal by us and by SQLite.
        #expect(trace.nameSyncs == 3)
    }

    /// queue.journal-name
    ///
    /// SQLite goes on if it cannot open the directory.
    @Test(
        .enabled(if: RealTime.isJudged, "The process is a sanitizer's."),
        .enabled(if: strace != nil, "strace is not installed, or must not trace a process here."))
    func withoutTheNameOfItsJournalARowHasNoTicket() throws {
        var outcomes: Set<Int32> = []
        // From too few for the program itself to enough.
        for limit in 4...24 {
            outcomes.insert(try write(3, openFiles: limit) == 0 ? 0 : 1)
            let trace = try Trace(directory)
            #expect(trace.undurable.isEmpty, "\(limit) files: \(trace.undurable)")
        }
        #expect(outcomes == [0, 1])
    }

    /// Lets a process add entries to a new queue, and traces it.
    private func write(_ count: Int, openFiles: Int = 1_024) throws -> Int32 {
        for suffix in ["", "-journal"] {
            try? FileManager.default.removeItem(atPath: directory.file + suffix)
        }
        let writer = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "gateway-queue-writer").path
        let calls = "trace=openat,close,pwrite64,write,ftruncate,fdatasync,fsync"
        return try Self.run([
            try #require(Self.strace), "-o", Trace.path(directory), "-e", calls, "/bin/sh", "-c",
            "ulimit -n \(openFiles) && exec \"$0\" \"$@\"", writer, directory.file, "\(count)",
        ])
    }

    /// What a process did, and which tickets were given too early.
    private struct Trace {
        private(set) var tickets = 0
        private(set) var undurable: [Int] = []
        /// How often the directory was synced.
        private(set) var nameSyncs = 0

        static func path(_ directory: QueueDirectory) -> String { directory.path + "/trace" }

        init(_ directory: QueueDirectory) throws {
            var files: [Substring: String] = [:]
            var unsynced: Set<Substring> = []
            var unnamed: Set<String> = []
            var hasRow = false
            for line in try String(contentsOfFile: Self.path(directory), encoding: .utf8).split(
                separator: "\n")
            {
                guard let open = line.firstIndex(of: "("), let equals = line.lastIndex(of: "=") else {
                    continue
                }
                let call = line[..<open]
                let result = line[line.index(after: equals)...].drop { $0 == " " }
                let descriptor = line[line.index(after: open)...].prefix { $0.isNumber }
                switch call {
                case "openat":
                    let path = line.split(separator: "\"", omittingEmptySubsequences: false).dropFirst().first
                    guard let path, result.first?.isNumber == true else { continue }
                    files[result.prefix { $0.isNumber }] = String(path)
                    if path.hasPrefix(directory.file), line.contains("O_CREAT") {
                        unnamed.insert(String(path))
                    }
                case "close": files[descriptor] = nil
                case "pwrite64", "ftruncate":
                    unsynced.insert(descriptor)
                    if call == "pwrite64", files[descriptor] == directory.file { hasRow = true }
                case "fdatasync", "fsync":
                    guard result == "0" else { continue }
                    unsynced.remove(descriptor)
                    if let file = files[descriptor], [directory.path, directory.path + "/"].contains(file) {
                        nameSyncs += 1
                        unnamed = []
                    }
                case "write" where line.contains("\"ticket "):
                    if !hasRow || !unsynced.isEmpty || !unnamed.isEmpty { undurable.append(tickets) }
                    (tickets, hasRow) = (tickets + 1, false)
                default: break
                }
            }
        }
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
