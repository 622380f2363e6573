/// The head of a request that a browser sends to a loopback address, as received so far.
struct RedirectRequest {
    /// The progress of reading a head.
    enum Progress {
        case incomplete, complete, tooLarge
    }

    /// The maximum size of a head, 16 KiB. A browser sends the cookies of all programs on `localhost`.
    static let maximumBytes = 16 << 10

    private static let end: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]

    private var head: [UInt8] = []

    /// Appends bytes; bytes after the head are ignored.
    mutating func append(_ bytes: ArraySlice<UInt8>) -> Progress {
        head += bytes.prefix(Self.maximumBytes + 1 - head.count)
        if let end = head.firstRange(of: Self.end), end.upperBound <= Self.maximumBytes { return .complete }
        return head.count > Self.maximumBytes ? .tooLarge : .incomplete
    }

    /// The query of a GET for a path; `nil` for any other request, or if the request line is incomplete or
    /// not UTF-8.
    func query(for path: String) -> String? {
        let bytes = head.prefix { $0 != 0x0D && $0 != 0x0A }
        guard let line = String(validating: bytes, as: UTF8.self) else { return nil }
        let words = line.split(separator: " ")
        guard words.count == 3, words[0] == "GET", bytes.count < head.count else { return nil }
        let parts = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == path else { return nil }
        return String(parts[1])
    }
}
