import Foundation
import GatewayAuth
import GatewayCore
public import GatewayTesting
import TestTiers

/// A process that shares a token store: it is told by lines what to do, and says by lines what came of it. It ends with
/// the test, however that ends.
///
/// A thread of its own reads what it says: no thread of Swift's pool waits for a process.
public final class TokenProbe: Sendable {
    public struct StartError: Error {
        public let code: Int32
    }

    private struct State {
        var lines: [String] = []
        var hasEnded = false
        var watchers: [Watcher] = []
        var lastWatcher = 0
    }

    private typealias Watcher = (
        id: Int, matches: @Sendable (String) -> Bool, continuation: CheckedContinuation<String?, Never>
    )

    private let id: pid_t
    private let socket: Int32
    private let state = Ear()

    /// Starts one.
    ///
    /// - Parameters:
    ///   - store: `file:PATH`, or `redis:PORT/PREFIX/LIFETIME[/LIMIT]`: the lifetime of locks and the limit of a command,
    ///     in milliseconds.
    ///   - gateway: the authorization server.
    ///   - refreshToken: the first refresh token; `nil` where somebody signs in later.
    ///   - limits: how long a refresh, its request and the patience of callers last, in milliseconds; `nil` for the
    ///     policy's defaults without patience.
    ///   - api: the URL that it calls when it is told `call`, with a trace of all its steps; `nil` for no trace.
    ///   - witness: the directory that remembers what a Redis server had.
    ///   - onTrace: takes the lines of the trace, which are not kept. It runs on the thread that reads.
    public init(
        store: String, gateway: EmbeddedGateway, refreshToken: String? = nil,
        limits: (refresh: Int, exchange: Int, patience: Int)? = nil, api: String? = nil,
        witness: String? = nil,
        onTrace: (@Sendable (TokenProbe.Line) -> Void)? = nil
    ) throws {
        let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "gateway-token-probe").path
        var environment = [
            "PROBE_STORE=\(store)", "PROBE_ENDPOINT=\(gateway.tokenURL)", "PROBE_CLIENT=\(gateway.client.id)",
            "PROBE_SECRET=\(gateway.client.secret.exposed)",
            // One that traps ends at once.
            "SWIFT_BACKTRACE=enable=no",
        ]
        if let refreshToken { environment.append("PROBE_REFRESH=\(refreshToken)") }
        if let witness { environment.append("PROBE_WITNESS=\(witness)") }
        if let api { environment.append("PROBE_API=\(api)") }
        if let limits {
            environment.append("PROBE_LIMITS=\(limits.refresh)/\(limits.exchange)/\(limits.patience)")
        }
        for (name, value) in ProcessInfo.processInfo.environment
        where ["PATH", "LD_LIBRARY_PATH", "TSAN_OPTIONS"].contains(name) {
            environment.append("\(name)=\(value)")
        }
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw StartError(code: errno)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        var arguments = [strdup(executable), nil]
        var variables = environment.map { strdup($0) } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var id = pid_t()
        let code = posix_spawn(&id, executable, &actions, nil, &arguments, &variables)
        close(ends[1])
        guard code == 0 else {
            close(ends[0])
            throw StartError(code: code)
        }
        self.id = id
        socket = ends[0]
        Thread.detachNewThread { [state, socket, id] in Self.read(socket, id, state, onTrace) }
    }

    deinit {
        // The thread that reads closes the socket when the process is gone.
        if !state.lines.withLock({ $0.hasEnded }) { _ = Foundation.kill(id, SIGKILL) }
    }

    /// What the thread that reads holds, so that it does not hold the probe.
    private final class Ear: Sendable {
        let lines = Locked(State())
    }

    private static func read(
        _ socket: Int32, _ id: pid_t, _ ear: Ear, _ onTrace: (@Sendable (Line) -> Void)?
    ) {
        var rest: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Foundation.read(socket, &part, part.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { break }
            rest += part[..<count]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: rest[..<end], as: UTF8.self)
                if let onTrace, line.hasPrefix("~ ") {
                    onTrace(.traced(line))
                } else {
                    heard(ear, line)
                }
                rest.removeSubrange(...end)
            }
        }
        close(socket)
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        onTrace?(.ended(status: status))
        let watchers = ear.lines.withLock { state in
            state.hasEnded = true
            defer { state.watchers = [] }
            return state.watchers
        }
        for watcher in watchers { watcher.continuation.resume(returning: nil) }
    }

    private static func heard(_ ear: Ear, _ line: String) {
        TestTrace.show("probe: \(line)")
        let ready = ear.lines.withLock { state -> [CheckedContinuation<String?, Never>] in
            state.lines.append(line)
            let ready = state.watchers.filter { $0.matches(line) }.map(\.continuation)
            state.watchers.removeAll { $0.matches(line) }
            return ready
        }
        for watcher in ready { watcher.resume(returning: line) }
    }

    /// What a process with a trace says.
    public enum Line: Sendable {
        /// A line of its trace: `~`, the time in nanoseconds, and words.
        case traced(String)
        /// It is gone; the status is that of `waitpid(2)`.
        case ended(status: Int32)
    }

    /// What it has said so far.
    public var lines: [String] { state.lines.withLock { $0.lines } }

    /// Tells it something.
    public func tell(_ command: String) {
        let bytes = Array((command + "\n").utf8)
        _ = send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// The first line that it says, or has said, that begins with one of these; `nil` when it ends before that.
    ///
    /// - Parameter skipping: how many of its first lines don't count.
    public func line(after skipping: Int = 0, _ prefixes: String...) async -> String? {
        await line(after: skipping, prefixes)
    }

    /// Tells it something and waits for what comes of it: a token or an error, unless other lines are named.
    public func ask(_ command: String, _ prefixes: String...) async -> String? {
        let said = lines.count
        tell(command)
        return await line(after: said, prefixes.isEmpty ? ["token ", "error "] : prefixes)
    }

    private func line(after skipping: Int, _ prefixes: [String]) async -> String? {
        let matches: @Sendable (String) -> Bool = { line in prefixes.contains { line.hasPrefix($0) } }
        let id = state.lines.withLock { state in
            state.lastWatcher += 1
            return state.lastWatcher
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let found = state.lines.withLock { state -> String?? in
                    if let line = state.lines.dropFirst(skipping).first(where: matches) { return line }
                    if state.hasEnded || Task.isCancelled { return .some(nil) }
                    state.watchers.append((id, matches, continuation))
                    return nil
                }
                if let found { continuation.resume(returning: found) }
            }
        } onCancel: {
            // A test whose time is up ends, and says what failed.
            let watcher = state.lines.withLock { state -> Watcher? in
                guard let index = state.watchers.firstIndex(where: { $0.id == id }) else { return nil }
                return state.watchers.remove(at: index)
            }
            watcher?.continuation.resume(returning: nil)
        }
    }

    /// Ends it at once (`kill -9`) and waits until it is gone.
    public func kill() async {
        if !state.lines.withLock({ $0.hasEnded }) { _ = Foundation.kill(id, SIGKILL) }
        _ = await line(after: .max, [])
    }

    /// Stops its threads (SIGSTOP), or lets them go on (SIGCONT).
    public func setStopped(_ isStopped: Bool) {
        if isStopped { stop(process: id) } else { _ = Foundation.kill(id, SIGCONT) }
    }
}
