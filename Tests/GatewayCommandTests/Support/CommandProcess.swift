import Foundation
import GatewayTesting
import Synchronization

/// The built `gateway`, or another program, run as a user runs it.
///
/// A thread of its own waits for it: none of Swift's pool does. It is killed when nobody waits any more.
final class CommandProcess: Sendable {
    /// What came of it.
    struct Outcome: Sendable {
        /// The exit status; 128 and the signal's number where a signal ended it.
        let status: Int32
        let out: [UInt8]
        let error: String

        var text: String { String(decoding: out, as: UTF8.self) }
    }

    /// What it reads.
    enum Input {
        case nothing
        case file(String)
        /// A pipe into which nobody writes.
        case silence
        /// What is typed at the terminal of its output.
        case terminal(String)
    }

    /// Where its output goes.
    enum Output {
        case file
        /// A pipe from which lines are read as they come.
        case lines
        /// A pipe that nobody reads, and that stays open.
        case stalledPipe
        /// Both to one terminal; what it shows counts as standard error's.
        case terminal
    }

    struct StartError: Error {
        let code: Int32
    }

    private let id: pid_t
    private let state: End
    private let descriptors: [Int32]

    private final class End: Sendable {
        typealias Listener = (
            find: @Sendable (String) -> String?, continuation: CheckedContinuation<String?, Never>
        )
        let value = Mutex<(outcome: Outcome?, waiter: CheckedContinuation<Outcome, Never>?)>((nil, nil))
        private let ear = Mutex<(bytes: [UInt8], isOpen: Bool, listener: Listener?)>(([], true, nil))

        /// What was written to a pipe; `nil` where there was none.
        var heard: [UInt8]? { ear.withLock { $0.isOpen ? nil : $0.bytes } }

        func hear(_ bytes: ArraySlice<UInt8>?) {
            ear.withLock { ear in
                if let bytes { ear.bytes += bytes } else { ear.isOpen = false }
            }
            answer()
        }

        func listen(
            _ find: @escaping @Sendable (String) -> String?,
            _ continuation: CheckedContinuation<String?, Never>
        ) {
            ear.withLock { $0.listener = (find, continuation) }
            answer()
        }

        private func answer() {
            let answer = ear.withLock { ear -> (CheckedContinuation<String?, Never>, String?)? in
                guard let listener = ear.listener else { return nil }
                let found = listener.find(String(decoding: ear.bytes, as: UTF8.self))
                guard found != nil || !ear.isOpen else { return nil }
                ear.listener = nil
                return (listener.continuation, found)
            }
            answer?.0.resume(returning: answer?.1)
        }
    }

    /// Where the programs of this build lie: beside the tests.
    static let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().path

    /// Starts it.
    ///
    /// - Parameters:
    ///   - program: its path.
    ///   - environment: all of its variables, but for `PATH`.
    init(
        _ arguments: [String], program: String = folder + "/gateway", environment: [String: String] = [:],
        input: Input = .nothing, output: Output = .file
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var kept: [Int32] = []
        var given: [Int32] = []
        switch input {
        case .nothing: posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        case .file(let path): posix_spawn_file_actions_addopen(&actions, 0, path, O_RDONLY, 0)
        case .silence:
            let (reading, writing) = try Self.pipe()
            posix_spawn_file_actions_adddup2(&actions, reading, 0)
            kept.append(writing)
            given.append(reading)
        case .terminal: break
        }
        var heard: Int32?
        if case .lines = output {
            let (reading, writing) = try Self.pipe()
            posix_spawn_file_actions_adddup2(&actions, writing, 1)
            heard = reading
            given.append(writing)
        } else if case .stalledPipe = output {
            let (reading, writing) = try Self.pipe()
            posix_spawn_file_actions_adddup2(&actions, writing, 1)
            kept.append(reading)
            given.append(writing)
        } else {
            posix_spawn_file_actions_addopen(&actions, 1, folder + "/out", O_WRONLY | O_CREAT, 0o600)
        }
        let terminal: Int32?
        if case .terminal = output {
            let (own, path) = try Self.terminal()
            for descriptor in Int32(1)...2 {
                posix_spawn_file_actions_addopen(&actions, descriptor, path, O_WRONLY | O_NOCTTY, 0)
            }
            if case .terminal = input {
                posix_spawn_file_actions_addopen(&actions, 0, path, O_RDONLY | O_NOCTTY, 0)
            }
            terminal = own
        } else {
            posix_spawn_file_actions_addopen(&actions, 2, folder + "/error", O_WRONLY | O_CREAT, 0o600)
            terminal = nil
        }
        let variables = environment.merging(["PATH": Self.folder + ":/usr/local/bin:/usr/bin:/bin"]) {
            own, _ in own
        }
        id = try Self.spawn(program, arguments, variables, &actions)
        for descriptor in given { close(descriptor) }
        if case .terminal(let typed) = input, let terminal {
            // It has the terminal open by now, which keeps what is typed until it is read.
            _ = Foundation.write(terminal, typed, typed.utf8.count)
        }
        descriptors = kept
        state = End()
        Thread.detachNewThread { [id, state, heard] in
            if let heard { Self.hear(heard, state) }
            Self.wait(for: id, state, folder: folder, terminal: terminal)
        }
    }

    private static func spawn(
        _ program: String, _ arguments: [String], _ variables: [String: String],
        _ actions: inout posix_spawn_file_actions_t
    ) throws -> pid_t {
        var texts = ([program] + arguments).map { strdup($0) } + [nil]
        var pairs = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in texts + pairs { free(text) } }
        // The signals that threads of Swift's pool hold back, and all they start.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        sigemptyset(&all)
        for number in [SIGINT, SIGTERM, SIGPIPE] { sigaddset(&all, number) }
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var id = pid_t()
        let code = posix_spawn(&id, program, &actions, &attributes, &texts, &pairs)
        guard code == 0 else { throw StartError(code: code) }
        return id
    }

    private static func wait(for id: pid_t, _ state: End, folder: String, terminal: Int32?) {
        var shown: [UInt8] = []
        if let terminal {
            var part = [UInt8](repeating: 0, count: 4096)
            // A terminal that nobody has open any more answers with an error.
            while true {
                let count = Foundation.read(terminal, &part, part.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                shown += part[..<count]
            }
            close(terminal)
        }
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        let outcome = Outcome(
            status: signal == 0 ? status >> 8 & 0xFF : 128 + signal,
            out: state.heard ?? bytes(folder + "/out"),
            error: String(decoding: terminal == nil ? bytes(folder + "/error") : shown, as: UTF8.self))
        try? FileManager.default.removeItem(atPath: folder)
        TestTrace.show("gateway: \(outcome.error)")
        let waiter = state.value.withLock { value in
            value.outcome = outcome
            return value.waiter
        }
        waiter?.resume(returning: outcome)
    }

    /// Notes what it writes, as it comes.
    private static func hear(_ file: Int32, _ state: End) {
        var part = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Foundation.read(file, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            state.hear(part[..<count])
        }
        close(file)
        state.hear(nil)
    }

    /// What a function finds in what it has written so far, as soon as it finds something; `nil` when it ends before.
    func firstLine(_ find: @escaping @Sendable (String) -> String?) async -> String? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { state.listen(find, $0) }
        } onCancel: {
            end(by: SIGKILL)
        }
    }

    private static func bytes(_ path: String) -> [UInt8] {
        (try? Data(contentsOf: URL(fileURLWithPath: path))).map { [UInt8]($0) } ?? []
    }

    deinit {
        end(by: SIGKILL)
        for descriptor in descriptors { close(descriptor) }
    }

    /// Sends it a signal.
    func end(by signal: Int32) {
        state.value.withLock { value in
            if value.outcome == nil { _ = Foundation.kill(id, signal) }
        }
    }

    /// Returns when it has written something to a pipe that nobody reads.
    func hasWritten() async {
        await onThread { [descriptors] in
            var byte: UInt8 = 0
            _ = Foundation.read(descriptors[0], &byte, 1)
        }
    }

    /// Writes bytes into its standard input. More than a pipe holds are written when it has begun to read.
    func feed(count: Int) async {
        await onThread { [descriptors] in
            let bytes = [UInt8](repeating: 0x20, count: count)
            var written = 0
            while written < count {
                let part = bytes[written...].withUnsafeBytes {
                    Foundation.write(descriptors[0], $0.baseAddress, $0.count)
                }
                guard part > 0 else { return }
                written += part
            }
        }
    }

    private func onThread(_ body: @escaping @Sendable () -> Void) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    body()
                    continuation.resume()
                }
            }
        } onCancel: {
            end(by: SIGKILL)
        }
    }

    /// What came of it, when it has ended. A test whose time is up ends it.
    func outcome() async -> Outcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome = state.value.withLock { value in
                    if value.outcome == nil { value.waiter = continuation }
                    return value.outcome
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            end(by: SIGKILL)
        }
    }
}
