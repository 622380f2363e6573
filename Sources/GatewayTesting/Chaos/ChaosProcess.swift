import GatewayCore
private import GatewayLibC

/// The process of a ``ChaosProxy``, and the connection to its control socket.
final class ChaosProcess: Sendable {
    private struct State {
        var hasEnded = false
        /// The connection for commands.
        var socket: Int32 = -1
        /// The write end of the program's standard input. Why: it is closed when this process ends in any way, and then
        /// the program ends, too.
        var input: Int32
    }

    let id: Int32
    /// The line with which the program reports that it is ready; empty if it ended before.
    let firstLine: [UInt8]
    private let folder: String
    private let state: Locked<State>

    private var control: String { folder + "/control" }

    /// Starts the program and waits until it is ready or has ended.
    init(program: String?, arguments: [String]) throws(ChaosProxy.Failure) {
        guard let path = program ?? Self.found() else {
            throw ChaosProxy.Failure(
                "gateway-chaos is neither beside this program nor in PATH: add the product to the dependencies of the test target, or name its path."
            )
        }
        folder = try Self.makeFolder()
        let (input, output) = try (Self.makePipe(), Self.makePipe())
        do {
            id = try Self.spawn(
                path, ["serve", "--control", folder + "/control"] + arguments, input: input.reading,
                output: output.writing)
        } catch {
            for end in [input.reading, input.writing, output.reading, output.writing] { Self.discard(end) }
            unsafe rmdir(folder)
            throw error
        }
        Self.discard(input.reading)
        Self.discard(output.writing)
        state = Locked(State(input: input.writing))
        firstLine = Self.line(from: output.reading)
        Self.discard(output.reading)
    }

    deinit { stop() }

    /// Ends the program and waits for it.
    func stop() {
        state.withLock { state in
            guard !state.hasEnded else { return }
            state.hasEnded = true
            kill(id, SIGTERM)
            var status: Int32 = 0
            while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
            Self.discard(state.input)
            if state.socket >= 0 { Self.discard(state.socket) }
            unsafe unlink(control)
            unsafe rmdir(folder)
        }
    }

    /// Sends a command and returns the response.
    func exchange(_ command: String) throws(ChaosProxy.Failure) -> [UInt8] {
        let response = state.withLock { state -> [UInt8] in
            guard !state.hasEnded else { return [] }
            if state.socket < 0 { state.socket = Self.connected(to: control) }
            let bytes = Array((command + "\n").utf8)
            let sent = unsafe send(state.socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            return sent == bytes.count ? Self.line(from: state.socket) : []
        }
        guard !response.isEmpty else { throw ChaosProxy.Failure("The process of gateway-chaos has ended.") }
        return response
    }

    // MARK: System

    private static func discard(_ descriptor: Int32) {
        _ = GatewayLibC.close(descriptor)
    }

    /// Reads bytes up to a line feed or the end.
    private static func line(from descriptor: Int32) -> [UInt8] {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = unsafe read(descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1, byte != UInt8(ascii: "\n") else { return line }
            line.append(byte)
        }
    }

    /// The path of the program, if it can be found.
    private static func found() -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe bytes.baseAddress.map { unsafe readlink("/proc/self/exe", $0, bytes.count) } ?? 0
        }
        let own = String(decoding: buffer[..<max(0, count)], as: UTF8.self)
        let path = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? ""
        let folders = [own.split(separator: "/").dropLast().map { "/" + $0 }.joined()]
        return (folders + path.split(separator: ":").map(String.init)).map { $0 + "/gateway-chaos" }
            .first { unsafe access($0, X_OK) == 0 }
    }

    /// Creates a folder that only this user can read.
    private static func makeFolder() throws(ChaosProxy.Failure) -> String {
        let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/gateway-chaos.XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else {
            throw ChaosProxy.Failure("No folder can be made in \(parent): errno \(errno).")
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func makePipe() throws(ChaosProxy.Failure) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        // Unlike a pipe, a socket pair is created with the close-on-exec flag, so that a process that is started at the
        // same time does not inherit it.
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw ChaosProxy.Failure("No pipe can be made: errno \(errno).")
        }
        return (ends[0], ends[1])
    }

    private static func connected(to path: String) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return descriptor }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        _ = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return descriptor
    }

    /// Starts a program without blocked or ignored signals.
    private static func spawn(
        _ path: String, _ arguments: [String], input: Int32, output: Int32
    ) throws(ChaosProxy.Failure) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGINT, SIGTERM, SIGPIPE] { unsafe sigaddset(&signals, signal) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setflags(
            &attributes, Int16(Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)))
        var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var id = pid_t()
        let code = unsafe posix_spawn(&id, path, &actions, &attributes, &words, environ)
        guard code == 0 else { throw ChaosProxy.Failure("\(path) does not start: errno \(code).") }
        return id
    }
}
