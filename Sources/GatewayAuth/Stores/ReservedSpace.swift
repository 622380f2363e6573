import GatewayCore
private import GatewayLibC

/// Disk space that is reserved for the next record of a key: an open file.
final class ReservedSpace: Sendable {
    let descriptor: Int32
    /// The lock under which it was reserved.
    let lock: FileLock

    /// Takes ownership of a descriptor.
    init(_ descriptor: Int32, under lock: FileLock) {
        self.descriptor = descriptor
        self.lock = lock
    }

    deinit { close(descriptor) }
}

extension TokenDirectory {
    /// In bytes: an access and a refresh token of the maximum accepted size, 16 KiB each.
    private static let smallestSpace = 32 << 10

    /// Reserves the space of a key's next record and of its mark. The caller holds both locks of the key.
    func reserve(for key: TokenKey, under lock: FileLock) throws(NetworkError) -> ReservedSpace {
        try inside { directory throws(NetworkError) in
            var size = Self.smallestSpace
            if case .whole(let record) = try readRecord(of: key, in: directory) {
                size = min(max(size, 2 * record.encoded().count), StoredToken.maximumBytes)
                try raiseMark(of: key, to: TokenMark(record), in: directory)
            } else {
                try raiseMark(of: key, to: nil, in: directory)
            }
            let space = ReservedSpace(
                try makeFile(Self.name(.reserved, of: key), in: directory), under: lock)
            do throws(NetworkError) {
                try reserve(size, in: space.descriptor)
            } catch {
                discard(space, of: key)
                throw error
            }
            return space
        }
    }

    /// Gives a file this size in bytes, with all of its space allocated.
    func reserve(_ size: Int, in file: Int32) throws(NetworkError) {
        var code: Int32
        repeat { code = posix_fallocate(file, 0, off_t(size)) } while code == EINTR
        switch code {
        case 0: return
        // The file system does not support it: zeros are written instead.
        case EOPNOTSUPP, EINVAL, ENOSYS: try write([UInt8](repeating: 0, count: size)[...], to: file)
        default: throw failure("No space is left for a token", code)
        }
    }

    /// Whether the name still belongs to the reserved file.
    func isThere(_ space: ReservedSpace, of key: TokenKey) -> Bool {
        guard let identity = FileIdentity(of: space.descriptor) else { return false }
        return identity == FileIdentity(path: path + "/" + Self.name(.reserved, of: key))
    }

    /// Deletes the reserved file, unless it has become a record.
    func discard(_ space: ReservedSpace, of key: TokenKey) {
        if isThere(space, of: key) { unsafe unlink(path + "/" + Self.name(.reserved, of: key)) }
    }
}
