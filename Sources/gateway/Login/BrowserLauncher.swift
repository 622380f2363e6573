import GatewayClient
import GatewayLibC

/// Opens URLs in the browser of the desktop, by `xdg-open`.
struct BrowserLauncher {
    private let path: String

    /// `nil` without a display or without `xdg-open`.
    init?() {
        let value = ProcessEnvironment.value
        guard value("DISPLAY") != nil || value("WAYLAND_DISPLAY") != nil,
            let path = value("PATH")?.split(separator: ":").map({ String($0) + "/xdg-open" })
                .first(where: { (path: String) in unsafe access(path, X_OK) == 0 })
        else { return nil }
        self.path = path
    }

    /// Starts the browser in a new session and without output, and does not wait for it. The browser
    /// inherits neither descriptors nor the variables whose names begin with `GATEWAY_`, which may be
    /// secrets.
    ///
    /// - Returns: whether `xdg-open` was started.
    func open(_ url: String) -> Bool {
        // The lowest numbers are used first, and this command has few descriptors and starts no other
        // program.
        for descriptor in Int32(3)..<4096 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for descriptor in Int32(0)...2 {
            unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // The signals that this command blocks or ignores.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGINT, SIGTERM, SIGPIPE] { unsafe sigaddset(&signals, signal) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF) | Self.newSession
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
        // Unchanged, because they need not be valid text.
        var variables: [UnsafeMutablePointer<CChar>?] = unsafe []
        var entry = unsafe environ
        while let variable = unsafe entry.pointee {
            if unsafe strncmp(variable, "GATEWAY_", 8) != 0 { unsafe variables.append(variable) }
            unsafe entry += 1
        }
        unsafe variables.append(nil)
        var arguments = unsafe ([path, url] as [String]).map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var id = pid_t()
        return unsafe posix_spawn(&id, path, &actions, &attributes, &arguments, &variables) == 0
    }

    /// `POSIX_SPAWN_SETSID`, which Glibc declares for GNU programs only.
    private static let newSession: Int32 = 0x80
}
