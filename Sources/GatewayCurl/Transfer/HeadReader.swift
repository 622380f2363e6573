import GatewayCore
private import GatewayLibC

/// Reads response headers. Many services send the same header repeatedly, except for a date that changes once per
/// second. A header that is equal to the previous one costs only comparisons, and shares its fields.
///
/// Headers with fields that may contain a secret are not remembered, and neither are those with interim responses.
struct HeadReader {
    private final class Known {
        private let text: [UInt8]
        let head: ResponseHead
        /// The number of bytes that were received again.
        private(set) var position = 0

        init(text: [UInt8], head: ResponseHead) {
            self.text = text
            self.head = head
        }

        /// Whether the whole header was received again.
        var isWhole: Bool { position == text.count }
        /// The part that was received again.
        var repeated: ArraySlice<UInt8> { text[..<position] }

        func begin() { position = 0 }

        /// Whether the line is the next one of the remembered header.
        func takes(_ line: UnsafeRawBufferPointer) -> Bool {
            guard let start = line.baseAddress, line.count <= text.count - position else { return false }
            let isNext = unsafe text.withUnsafeBytes { text in
                guard let own = text.baseAddress else { return false }
                return unsafe memcmp(own + position, start, line.count) == 0
            }
            if isNext { position += line.count }
            return isNext
        }
    }

    private static let longestText = 2048
    private static let longestPause = 63

    /// The header as far as it was read.
    private(set) var head = ResponseHead()
    private var known: Known?
    /// Whether all lines so far are equal to those of the remembered header.
    private var isRepeating = false
    /// The lines of a header that may be remembered; `nil` if it must not be remembered.
    private var text: [UInt8]?
    /// The number of headers that are not remembered after the next difference. Why: remembering is useless if headers
    /// always differ.
    private var pause = 0
    /// The remaining number of headers that are not remembered.
    private var pauseLeft = 0

    /// Whether a part of the header was received.
    var hasBegun: Bool { head.status > 0 || isRepeating && known.map { $0.position > 0 } == true }

    /// Starts a response. Its fields are stored in the given list.
    mutating func begin(room: consuming HTTPFields) {
        head.begin(room: room)
        known?.begin()
        isRepeating = known != nil
        if pauseLeft > 0 { pauseLeft -= 1 }
        if !isRepeating, pauseLeft == 0 { text = [] }
    }

    /// Ends the response.
    mutating func end() {
        if !head.fields.isEmpty { head = ResponseHead() }
        text = nil
    }

    /// Moves the fields out.
    mutating func takeFields() -> HTTPFields { head.takeFields() }

    /// Reads a line with its line end.
    mutating func receive(
        _ line: UnsafeRawBufferPointer, limit: Int, cache: FieldCache
    ) -> ResponseHead.Event {
        guard isRepeating, let known else { return unsafe read(line, limit: limit, cache: cache) }
        let isFirst = known.position == 0
        guard unsafe known.takes(line) else {
            return unsafe part(from: known, with: line, limit: limit, cache: cache)
        }
        guard known.isWhole else { return isFirst ? .begun : .more }
        head = known.head
        isRepeating = false
        pause = 0
        return .complete
    }

    /// Called when a line differs from the remembered header. Reads the lines that were equal.
    private mutating func part(
        from known: Known, with line: UnsafeRawBufferPointer, limit: Int, cache: FieldCache
    ) -> ResponseHead.Event {
        isRepeating = false
        self.known = nil
        pauseLeft = pause
        pause = min(pause * 2 + 1, Self.longestPause)
        text = pauseLeft == 0 ? [] : nil
        unsafe known.repeated.withUnsafeBytes { repeated in
            var start = 0
            while start < repeated.count {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: repeated[start...])
                let length = (unsafe rest.firstIndex(of: 0x0A) ?? rest.count - 1) + 1
                _ = unsafe read(
                    UnsafeRawBufferPointer(rebasing: rest[..<length]), limit: limit, cache: cache)
                start += length
            }
        }
        return unsafe read(line, limit: limit, cache: cache)
    }

    private mutating func read(
        _ line: UnsafeRawBufferPointer, limit: Int, cache: FieldCache
    ) -> ResponseHead.Event {
        let event = unsafe head.receive(line, limit: limit, cache: cache)
        guard text != nil else { return event }
        // A second status line comes after an interim response.
        if event == .begun, text?.isEmpty == false { text = nil }
        guard let end = unsafe line.last, end == 0x0A else {
            text = nil
            return event
        }
        if head.mayHoldSecret || (text?.count ?? 0) + line.count > Self.longestText { text = nil }
        unsafe text?.append(contentsOf: line)
        if event == .complete, let text {
            // A copy, so that memory is freed on the thread that allocated it.
            known = Known(text: text, head: head.copied())
            self.text = nil
        }
        return event
    }
}
