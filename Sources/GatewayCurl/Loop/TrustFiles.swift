import CLibcurl  // These headers may declare the file times.
private import GatewayLibC

/// The files of the trusted certificates and of the client certificate, with a version that each change
/// increments.
///
/// libcurl caches the content of a file for a day by its path, and compares paths before it reuses a
/// connection or a TLS session. Each change therefore changes the spelling of the paths: the files are read
/// again, and no connection or session with the old content is reused.
struct TrustFiles {
    /// The attributes that change with a file.
    private struct State: Equatable {
        let device: UInt64
        let inode: UInt64
        let size: Int64
        /// The times of the last change of the content and of the attributes, in nanoseconds.
        let written: Int64
        let changed: Int64

        init?(_ path: String) {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return nil }
            device = UInt64(truncatingIfNeeded: status.st_dev)
            inode = UInt64(truncatingIfNeeded: status.st_ino)
            size = Int64(truncatingIfNeeded: status.st_size)
            written = Self.nanoseconds(status.st_mtim)
            changed = Self.nanoseconds(status.st_ctim)
        }

        private static func nanoseconds(_ time: timespec) -> Int64 {
            Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
        }
    }

    /// The interval of checks, in nanoseconds.
    static let interval: Int64 = 1_000_000_000

    /// The number of changes.
    private(set) var version = 0
    private let paths: [String]
    private var states: [State?]
    private var nextLook: Int64 = 0

    init(_ paths: [String]) {
        self.paths = paths
        states = paths.map { State($0) }
    }

    /// Checks the files, at most once per interval. A missing file, as during its replacement, is treated as
    /// unchanged.
    mutating func look(at now: Int64) {
        guard now >= nextLook else { return }
        nextLook = now + Self.interval
        var hasChanged = false
        for index in paths.indices {
            guard let state = State(paths[index]), state != states[index] else { continue }
            states[index] = state
            hasChanged = true
        }
        if hasChanged { version += 1 }
    }

    /// Makes the next check unconditional.
    mutating func expectChange() { nextLook = 0 }

    /// The path of a file, in a spelling that no earlier version used.
    func spelled(_ path: String) -> String {
        guard version > 0 else { return path }
        let name = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
        let digits = (0..<16).map { version >> $0 & 1 == 0 ? "./" : ".//" }.joined()
        return path[..<name] + digits + path[name...]
    }
}
