// Algorithms on texts in this module. Why: the standard library's are inlined at each use, which makes release builds
// slower.

extension StringProtocol {
    /// The parts between the bytes of an ASCII character, also empty ones.
    @inline(never)
    func split(atByte separator: Unicode.Scalar) -> [Substring] {
        let text = Substring(self)
        var result: [Substring] = []
        var start = text.startIndex
        while let end = text.utf8[start...].firstIndex(of: UInt8(ascii: separator)) {
            result.append(text[start..<end])
            start = text.utf8.index(after: end)
        }
        result.append(text[start...])
        return result
    }
}

extension String {
    /// Whether the text has no control characters before the space, such as tabs and line ends.
    @inline(never)
    var isPlain: Bool { utf8.allSatisfy { $0 >= 0x20 } }
}

extension Int {
    /// The integer that a text is in decimal notation.
    @inline(never)
    init?(_ text: String) { self.init(text, radix: 10) }
}

extension Int64 {
    /// The integer that a text is in decimal notation.
    init?(_ text: String) {
        guard let value = Int(text) else { return nil }
        self.init(value)
    }
}
