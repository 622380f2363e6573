// Algorithms on texts in this module that the standard library would inline at each use.

extension StringProtocol {
    /// The parts between bytes of ASCII, also empty ones.
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
    /// Whether no byte is below that of a space: it has neither line ends nor tabs.
    @inline(never)
    var isPlain: Bool { utf8.allSatisfy { $0 >= 0x20 } }
}

extension Int {
    @inline(never)
    init?(_ text: String) { self.init(text, radix: 10) }
}

extension Int64 {
    init?(_ text: String) {
        guard let value = Int(text) else { return nil }
        self.init(value)
    }
}
