import GatewayCore
private import GatewayLibC

/// The process whose single-use request is in progress, as recorded in the `.sender` file.
///
/// A lock can be lost: its file is deleted, or the directory replaced by a copy. Then the next process gets the lock
/// and would send the same refresh token. Because of this note it sends nothing while the recorded process runs, until
/// the limit of its request.
struct TokenSender: Equatable, Sendable {
    let process: Int32
    /// When the process started, in clock ticks since boot; it distinguishes the process from a later one with the same
    /// ID.
    let start: UInt64
    /// Distinguishes the locks of one process.
    let number: UInt64
    /// The latest end of its request, in seconds since 1970-01-01T00:00:00Z.
    let limit: Int64

    private static let ownStart = startTime(of: getpid())

    /// This process.
    init(number: UInt64, limit: Int64) {
        process = getpid()
        start = Self.ownStart ?? 0
        self.number = number
        self.limit = limit
    }

    // MARK: Bytes

    /// Decodes a note written as ``bytes``; `nil` for anything else, such as a partly written note.
    init?(_ bytes: [UInt8]) {
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard words.count == 5, words[4] == "\n", let process = Int32(words[0]), process > 0,
            let start = UInt64(words[1]), let number = UInt64(words[2]), let limit = Int64(words[3])
        else { return nil }
        (self.process, self.start, self.number, self.limit) = (process, start, number, limit)
    }

    var bytes: [UInt8] { Array("\(process) \(start) \(number) \(limit) \n".utf8) }

    // MARK: Processes

    /// Whether its request may still be in progress.
    func isSending(at unixTime: Duration) -> Bool {
        guard unixTime.wholeSeconds <= limit else { return false }
        guard let start = Self.startTime(of: process) else {
            // Its state cannot be read, for example because no descriptor is available.
            return kill(process, 0) == 0 || errno == EPERM
        }
        return start == self.start
    }

    /// The 22nd field of `/proc/PID/stat` (proc(5)); `nil` if it cannot be read.
    private static func startTime(of process: Int32) -> UInt64? {
        let file = unsafe open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
        // The second field is a name in parentheses, which may contain any bytes.
        guard count > 0, let name = bytes[..<count].lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = String(decoding: bytes[(name + 1)..<count], as: UTF8.self).split(separator: " ")
        return fields.count > 19 ? UInt64(fields[19]) : nil
    }
}

extension TokenDirectory {
    /// Records that this process is about to send a key's refresh token.
    ///
    /// - Throws: `tokenStoreFailed` if another process is sending it.
    func note(_ sender: TokenSender, of key: TokenKey, at unixTime: Duration) throws(NetworkError) {
        try inside { directory throws(NetworkError) in
            if let other = try notedSender(of: key, in: directory), other.number != sender.number,
                other.isSending(at: unixTime)
            {
                throw .storeFailed(
                    "Another process is renewing this token; its lock file was deleted or replaced.")
            }
            let flags = O_WRONLY | O_CREAT | O_TRUNC
            guard let file = try openFile(Self.name(.sender, of: key), in: directory, flags) else {
                throw failure("The note about a token's sender cannot be written", ENOENT)
            }
            defer { close(file) }
            try write(sender.bytes[...], to: file)
        }
    }

    /// Deletes the note of a sender.
    func erase(_ number: UInt64, of key: TokenKey) throws(NetworkError) {
        try inside { directory throws(NetworkError) in
            guard try notedSender(of: key, in: directory)?.number == number else { return }
            _ = unsafe unlinkat(directory, Self.name(.sender, of: key), 0)
        }
    }

    private func notedSender(of key: TokenKey, in directory: Int32) throws(NetworkError) -> TokenSender? {
        let name = Self.name(.sender, of: key)
        guard let file = try openFile(name, in: directory, O_RDONLY) else { return nil }
        defer { close(file) }
        return TokenSender(try readAll(file))
    }
}
