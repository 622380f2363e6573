import GatewayCore
private import GatewayLibC

/// The result of reading a record.
package enum FoundRecord: Equatable {
    /// There is no record.
    case absent
    /// The data is not a valid record. The generation is 0 if it is unknown.
    case torn(generation: UInt64)
    /// A record.
    case whole(StoredToken)
}

/// The facts of a record that are stored separately: its generation, its login, and whether its loss matters. It
/// contains no secret.
package struct TokenMark: Equatable, Sendable {
    let generation: UInt64
    let login: UInt64
    let isIrreplaceable: Bool

    /// The mark of a record.
    package init(_ record: StoredToken) {
        generation = record.generation
        login = record.login
        isIrreplaceable = record.isIrreplaceable
    }

    // MARK: Bytes

    /// The size of every mark, in bytes: constant, so that it is written in one step and needs no more space.
    static let length = 64

    /// Decodes a mark written as ``bytes``; `nil` if nothing was written yet.
    init?(_ bytes: [UInt8]) {
        if bytes.allSatisfy({ $0 == 0 }) { return nil }
        let words = bytes.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") || $0 == 0 }
            .map { String(decoding: $0, as: UTF8.self) }
        guard words.count == 3, let generation = UInt64(words[0]), let login = UInt64(words[1]),
            1...StoredToken.lastGeneration ~= generation
        else {
            // It is not readable, but there was a record.
            self.generation = 1
            self.login = 0
            isIrreplaceable = true
            return
        }
        self.generation = generation
        self.login = login
        // Any other word counts as irreplaceable.
        isIrreplaceable = words[2] != "replaceable"
    }

    /// The mark as text of ``length`` bytes.
    var bytes: [UInt8] {
        let text = "\(generation) \(login) \(isIrreplaceable ? "irreplaceable" : "replaceable")"
        let padding = max(0, Self.length - 1 - text.utf8.count)
        return Array(text.utf8) + [UInt8](repeating: UInt8(ascii: " "), count: padding) + [UInt8(ascii: "\n")]
    }

    // MARK: Lost records

    /// The record that a store returns for the data that it has read.
    package static func resolve(
        _ found: FoundRecord, _ mark: TokenMark?, for key: TokenKey
    ) -> StoredToken? {
        var generation = mark?.generation ?? 0
        switch found {
        case .absent where mark == nil: return nil
        case .whole(let record) where record.generation >= generation: return record
        case .torn(let other): generation = max(generation, other)
        case .absent, .whole: break
        }
        return StoredToken(
            key: key, generation: max(generation, 1), login: mark?.login ?? 0,
            content: mark?.isIrreplaceable == false ? .signedIn : .lost)
    }
}

extension TokenDirectory {
    /// The mark of a key; `nil` if no record was ever stored.
    func readMark(of key: TokenKey, in directory: Int32) throws(NetworkError) -> TokenMark? {
        guard let file = try openFile(Self.name(.mark, of: key), in: directory, O_RDONLY) else { return nil }
        defer { close(file) }
        return TokenMark(try readAll(file))
    }

    /// The same; opens the directory.
    func mark(of key: TokenKey) throws(NetworkError) -> TokenMark? {
        try inside { directory throws(NetworkError) in try readMark(of: key, in: directory) }
    }

    /// Writes the mark of a record, unless it is newer already. Allocates the space for later marks.
    func raiseMark(of key: TokenKey, to mark: TokenMark?) throws(NetworkError) {
        try inside { directory throws(NetworkError) in try raiseMark(of: key, to: mark, in: directory) }
    }

    func raiseMark(of key: TokenKey, to mark: TokenMark?, in directory: Int32) throws(NetworkError) {
        guard let file = try openFile(Self.name(.mark, of: key), in: directory, O_RDWR | O_CREAT) else {
            throw failure("A token's mark file cannot be created", ENOENT)
        }
        defer { close(file) }
        // Several processes may share a witness without the locks of a store. Closing the file releases this lock.
        while flock(file, LOCK_EX) != 0 {
            guard errno == EINTR else { throw failure("A token's mark file cannot be locked") }
        }
        let bytes = try readAll(file)
        if bytes.count < TokenMark.length {
            try reserve(TokenMark.length, in: file)
            guard fsync(directory) == 0 else { throw failure("The directory cannot be flushed to disk") }
        }
        guard let mark else { return }
        let known = TokenMark(bytes)
        if let known, known.generation >= mark.generation { return }
        guard lseek(file, 0, SEEK_SET) == 0 else { throw failure("A token's mark file cannot be written") }
        try write(mark.bytes[...], to: file)
        guard fsync(file) == 0 else { throw failure("A token's mark file cannot be flushed to disk") }
    }
}
