import GatewayCore

#if canImport(Glibc)
    private import Glibc
#else
    private import Musl
#endif

/// Reads one response's head after another. Many services answer with the same bytes again and again, but for a date
/// that changes once a second: a head that repeats the one before costs comparisons, and shares its fields.
///
/// Heads with fields that may hold a secret are not remembered, nor are those with interim responses.
struct HeadReader {
    private final class Known {
        private let text: [UInt8]
        let head: ResponseHead
        /// How many bytes of it have come again.
        private(set) var position = 0

        init(text: [UInt8], head: ResponseHead) {
            self.text = text
            self.head = head
        }

        /// Whether all of it has come again.
        var isWhole: Bool { position == text.count }
        /// What has come again.
        var repeated: ArraySlice<UInt8> { text[..<position] }

        func begin() { position = 0 }

        /// Whether the line is the next of it.
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

    /// What is there of the head.
    private(set) var head = ResponseHead()
    private var known: Known?
    /// Whether everything so far has been the same as of the head before.
    private var isRepeating = false
    /// The lines of a head that may be remembered; `nil` for one that is not.
    private var text: [UInt8]?
    /// Where heads differ each time, remembering them is work for nothing: so many are passed over…
    private var pause = 0
    /// …of which so many are left.
    private var pauseLeft = 0

    /// Whether something of the head has come.
    var hasBegun: Bool { head.status > 0 || isRepeating && known.map { $0.position > 0 } == true }

    /// A response begins, whose fields go into the room given.
    mutating func begin(room: consuming HTTPFields) {
        head.begin(room: room)
        known?.begin()
        isRepeating = known != nil
        if pauseLeft > 0 { pauseLeft -= 1 }
        if !isRepeating, pauseLeft == 0 { text = [] }
    }

    /// The response is over.
    mutating func end() {
        if !head.fields.isEmpty { head = ResponseHead() }
        text = nil
    }

    /// Takes the fields out.
    mutating func takeFields() -> HTTPFields { head.takeFields() }

    /// Takes a line with its line end.
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

    /// A line differs from the head before: what was the same is read after all.
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
        // A second status line follows an interim response.
        if event == .begun, text?.isEmpty == false { text = nil }
        guard let end = unsafe line.last, end == 0x0A else {
            text = nil
            return event
        }
        if head.mayHoldSecret || (text?.count ?? 0) + line.count > Self.longestText { text = nil }
        unsafe text?.append(contentsOf: line)
        if event == .complete, let text {
            // A copy, so that what is freed here was made here.
            known = Known(text: text, head: head.copied())
            self.text = nil
        }
        return event
    }
}
