import GatewayCore

/// Puts a response's status and fields together, line by line as libcurl gives them. Pure.
///
/// Interim responses (1xx, RFC 9110 §15.2) are passed over; what comes after the head's end is trailers, which
/// count against the limit and are dropped.
struct ResponseHead {
    /// What a line led to.
    enum Event {
        /// Nothing yet.
        case more
        /// A status line came.
        case begun
        /// The head of the final response is complete.
        case complete
        /// The head is larger than its limit.
        case tooLarge
        /// The line is neither a valid status line nor a valid field, or contradicts one before.
        case malformed
    }

    private enum Stage { case statusLine, fields, done }

    /// The status; 0 before there is one.
    private(set) var status = 0
    /// The fields.
    private(set) var fields = HTTPFields()
    /// What `Content-Length` says, if it is there.
    private(set) var contentLength: Int64?
    /// Whether the content comes in chunks.
    private var isChunked = false
    /// Whether the content is encoded, as by compression (RFC 9110 §8.4).
    private(set) var isCompressed = false
    /// Whether a field may hold what must not be kept.
    private(set) var mayHoldSecret = false
    /// For how many seconds the server keeps the connection, if it says so.
    private(set) var keepAlive: Int64?
    private var stage = Stage.statusLine
    private var byteCount = 0

    /// Begins another head, whose fields go into the room given.
    mutating func begin(room: consuming HTTPFields) {
        status = 0
        fields = room
        contentLength = nil
        isChunked = false
        isCompressed = false
        mayHoldSecret = false
        keepAlive = nil
        stage = .statusLine
        byteCount = 0
    }

    /// Whether the content of an HTTP/1.1 response ends where the connection does (RFC 9112 §6.3).
    var isDelimitedByClose: Bool { !isChunked && contentLength == nil }

    /// Whether the head is complete.
    var isComplete: Bool { stage == .done }

    /// The same with memory of its own.
    func copied() -> ResponseHead {
        var copy = self
        copy.fields = HTTPFields(copying: fields)
        return copy
    }

    /// Takes the fields out.
    mutating func takeFields() -> HTTPFields {
        var taken = HTTPFields()
        swap(&taken, &fields)
        return taken
    }

    /// Takes a line with its line end.
    mutating func receive(_ line: UnsafeRawBufferPointer, limit: Int, cache: FieldCache) -> Event {
        byteCount += line.count
        guard byteCount <= limit else { return .tooLarge }
        var end = line.count
        if end > 0, unsafe line[end - 1] == 0x0A { end -= 1 }
        if end > 0, unsafe line[end - 1] == 0x0D { end -= 1 }
        let content = unsafe UnsafeRawBufferPointer(rebasing: line[..<end])
        switch stage {
        case .done: return .more
        case .statusLine: return unsafe receive(statusLine: content)
        case .fields where end == 0:
            stage = status < 200 ? .statusLine : .done
            return stage == .done ? .complete : .more
        case .fields: return unsafe receive(field: content, cache: cache)
        }
    }

    /// `HTTP/x status …`
    private mutating func receive(statusLine line: UnsafeRawBufferPointer) -> Event {
        guard line.count >= 9, unsafe line.starts(with: "HTTP/".utf8),
            let space = unsafe line.firstIndex(of: 0x20), space + 3 < (line.count)
        else { return .malformed }
        var status = 0
        for index in (space + 1)...(space + 3) {
            let digit = unsafe line[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return .malformed }
            status = status * 10 + Int(digit)
        }
        let rest = unsafe line[(space + 4)...]
        // Nobody asked for another protocol (101, RFC 9110 §15.2.2).
        guard status >= 100, status != 101, unsafe rest.first ?? 0x20 == 0x20,
            unsafe !rest.contains(where: HTTPSyntax.isStray)
        else { return .malformed }
        self.status = status
        fields.removeAllKeepingCapacity()
        contentLength = nil
        isChunked = false
        isCompressed = false
        mayHoldSecret = false
        keepAlive = nil
        stage = .fields
        return .begun
    }

    private mutating func receive(field line: UnsafeRawBufferPointer, cache: FieldCache) -> Event {
        let first = unsafe line[0]
        if first == 0x20 || first == 0x09 { return unsafe receive(continuation: line) }
        guard let entry = unsafe cache.field(on: line) else { return .malformed }
        // Lengths that differ, and a length beside chunks, are how responses are smuggled (RFC 9112 §6.3).
        if let length = entry.contentLength {
            guard !isChunked, contentLength ?? length == length else { return .malformed }
            contentLength = length
        }
        if entry.isTransferEncoding {
            guard !isChunked, contentLength == nil else { return .malformed }
            isChunked = true
        }
        fields.append(entry.field)
        if entry.isContentEncoding { isCompressed = true }
        if entry.mayBeSecret { mayHoldSecret = true }
        if let seconds = entry.keepAlive { keepAlive = seconds }
        return .more
    }

    /// A folded line continues the value before it (RFC 9112 §5.2: replaced by a space). libcurl reads framing fields
    /// line by line and would understand something else.
    private mutating func receive(continuation line: UnsafeRawBufferPointer) -> Event {
        guard let last = fields.last, last.name != .contentLength, last.name != .transferEncoding else {
            return .malformed
        }
        var start = 0
        var end = line.count
        while start < end, unsafe FieldCache.isSpace(line[start]) { start += 1 }
        while end > start, unsafe FieldCache.isSpace(line[end - 1]) { end -= 1 }
        var bytes = last.bytes
        if start < end {
            bytes.append(0x20)
            unsafe bytes.append(contentsOf: line[start..<end])
        }
        let field = HTTPField(last.name, bytes: bytes)
        guard HTTPSyntax.isFieldValue(field.value.utf8) else { return .malformed }
        var unfolded = HTTPFields()
        unfolded.reserveCapacity(12)
        for field in fields.dropLast() { unfolded.append(field) }
        unfolded.append(field)
        fields = unfolded
        return .more
    }
}
