private import GatewayLibC

/// The file of a listening Unix domain socket.
///
/// The folder is locked (flock(2)) while the file is looked at and changed, so that two processes that find the same
/// socket without an owner do not both replace it.
struct SocketFile {
    private let path: String
    private let device: dev_t
    private let inode: ino_t

    /// Binds a socket to a path and listens on it.
    init(path: String, listening socket: Int32) throws(HTTPListener.StartError) {
        guard let address = Self.address(path) else {
            throw HTTPListener.StartError(
                "The path of a socket must have 1 to \(Self.longestPath) bytes without NUL: '\(path)' does not."
            )
        }
        let lock = Self.lock(folderOf: path)
        defer { if lock >= 0 { _ = GatewayLibC.close(lock) } }
        if Self.isLeftBehind(path, address) { _ = unsafe unlink(path) }
        // On Linux the mode of the socket becomes the mode of its file: nobody can connect in between.
        _ = fchmod(socket, 0o600)
        guard unsafe Self.with(address, { unsafe bind(socket, $0, $1) }) == 0, listen(socket, SOMAXCONN) == 0
        else {
            throw HTTPListener.StartError("\(path) cannot be listened on", code: errno)
        }
        var status = stat()
        _ = unsafe lstat(path, &status)
        self.path = path
        (device, inode) = (status.st_dev, status.st_ino)
    }

    /// Removes the file, unless another process has replaced it.
    func remove() {
        let lock = Self.lock(folderOf: path)
        defer { if lock >= 0 { _ = GatewayLibC.close(lock) } }
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode else {
            return
        }
        _ = unsafe unlink(path)
    }

    /// Locks a folder until the descriptor is closed; negative if that is not possible.
    private static func lock(folderOf path: String) -> Int32 {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor >= 0 { while flock(descriptor, LOCK_EX) != 0, errno == EINTR {} }
        return descriptor
    }

    /// Whether the path is a socket that nobody listens on.
    private static func isLeftBehind(_ path: String, _ address: sockaddr_un) -> Bool {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return false }
        let probe = socket(
            AF_UNIX,
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard probe >= 0 else { return false }
        defer { _ = GatewayLibC.close(probe) }
        return unsafe with(address) { unsafe connect(probe, $0, $1) } != 0 && errno == ECONNREFUSED
    }

    private static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    private static func address(_ path: String) -> sockaddr_un? {
        let bytes = Array(path.utf8)
        guard (1...longestPath).contains(bytes.count), !bytes.contains(0) else { return nil }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        return address
    }

    private static func with(
        _ address: sockaddr_un, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe call($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
