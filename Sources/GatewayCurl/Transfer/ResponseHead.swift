import GatewayCore

/// Builds status and fields of a response from the lines that libcurl passes. A pure state machine.
///
/// Interim responses (1xx, RFC 9110 §15.2) are skipped. Lines after the end of the header are trailer fields. They
/// count for the limit and are dropped.
struct ResponseHead {
    /// The result of a line.
    enum Event {
        /// More lines are needed.
        case more
        /// A status line was received.
        case begun
        /// The header of the final response is complete.
        case complete
        /// The header exceeds its limit.
        case tooLarge
        /// The line is neither a valid status line nor a valid field, or contradicts a previous line.
        case malformed
    }

    private enum Stage { case statusLine, fields, done }

    /// The status; 0 before the status line.
    private(set) var status = 0
    /// The fields.
    private(set) var fields = HTTPFields()
    /// The value of `Content-Length`, if any.
    private(set) var contentLength: Int64?
    /// Whether the content has chunked encoding.
    private var isChunked = false
    /// Whether the content has a content coding, such as compression (RFC 9110 §8.4).
    private(set) var isCompressed = false
    /// Whether a field may contain a secret, so that the header must not be remembered.
    private(set) var mayHoldSecret = false
    /// The number of seconds that the server keeps the connection open, if it is known.
    private(set) var keepAlive: Int64?
    private var stage = Stage.statusLine
    private var byteCount = 0

    /// Starts another header. Its fields are stored in the given list.
    mutating func begin(room: consuming HTTPFields) {
        fields = room
        byteCount = 0
        begin(status: 0, .statusLine)
    }

    private mutating func begin(status: Int, _ stage: Stage) {
        self.status = status
        contentLength = nil
        isChunked = false
        isCompressed = false
        mayHoldSecret = false
        keepAlive = nil
        self.stage = stage
    }

    /// Whether the content of an HTTP/1.1 response is delimited by the end of the connection (RFC 9112 §6.3).
    var isDelimitedByClose: Bool { !isChunked && contentLength == nil }

    /// Whether the head is complete.
    var isComplete: Bool { stage == .done }

    /// A copy with its own memory.
    func copied() -> ResponseHead {
        var copy = self
        copy.fields = HTTPFields(copying: fields)
        return copy
    }

    /// Moves the fields out.
    mutating func takeFields() -> HTTPFields {
        var taken = HTTPFields()
        swap(&taken, &fields)
        return taken
    }

    /// Reads a line with its line end.
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

    /// Reads `HTTP/x status …`.
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
        // A protocol upgrade was not requested (101, RFC 9110 §15.2.2).
        guard status >= 100, status != 101, unsafe rest.first ?? 0x20 == 0x20,
            unsafe !rest.contains(where: HTTPSyntax.isStray)
        else { return .malformed }
        fields.removeAllKeepingCapacity()
        begin(status: status, .fields)
        return .begun
    }

    private mutating func receive(field line: UnsafeRawBufferPointer, cache: FieldCache) -> Event {
        let first = unsafe line[0]
        if first == 0x20 || first == 0x09 { return unsafe receive(continuation: line) }
        guard let entry = unsafe cache.field(on: line) else { return .malformed }
        // Different lengths, or a length with chunked encoding, are a sign of response smuggling (RFC 9112 §6.3).
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

    /// Appends a folded line to the previous value, separated by a space (RFC 9112 §5.2). Not allowed for framing
    /// fields, because libcurl interprets them line by line and would get another value.
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
