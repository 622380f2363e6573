import CLibcurl  // Its headers may be what declares the times of files.

#if canImport(Glibc)
    private import Glibc
#else
    private import Musl
#endif

/// The files with the certificates that are trusted and with those of the client, and how often they have changed.
///
/// libcurl keeps what it has read of a file for a day, under the file's path; and the paths are what it compares before it
/// uses a connection or a session of TLS again. So after each change the same files get another spelling of their paths:
/// they are read anew, and nothing is used that was made under the old ones.
struct TrustFiles {
    /// What changes with a file.
    private struct State: Equatable {
        let device: UInt64
        let inode: UInt64
        let size: Int64
        /// When its content and when anything about it changed, in nanoseconds.
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

    /// For how long a change may stay unseen, in nanoseconds.
    static let interval: Int64 = 1_000_000_000

    /// How often they have changed.
    private(set) var version = 0
    private let paths: [String]
    private var states: [State?]
    private var nextLook: Int64 = 0

    init(_ paths: [String]) {
        self.paths = paths
        states = paths.map { State($0) }
    }

    /// Looks at the files, unless that was done a moment ago. A file that is not there, as within its replacement, counts as
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

    /// The next look is not left out.
    mutating func expectChange() { nextLook = 0 }

    /// The path of a file, spelled as no version before it did.
    func spelled(_ path: String) -> String {
        guard version > 0 else { return path }
        let name = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
        let digits = (0..<16).map { version >> $0 & 1 == 0 ? "./" : ".//" }.joined()
        return path[..<name] + digits + path[name...]
    }
}
