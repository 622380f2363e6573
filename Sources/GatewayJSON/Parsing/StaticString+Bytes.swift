extension StaticString {
    /// The byte at a position of a literal.
    @inline(__always)
    func byte(at index: Int) -> UInt8 {
        // A string literal is stored by pointer, and lives as long as the program.
        unsafe utf8Start[index]
    }

    /// Whether a text has the same bytes.
    func isEqual(to text: String) -> Bool {
        text.utf8.count == utf8CodeUnitCount
            && text.utf8.enumerated().allSatisfy { byte(at: $0.offset) == $0.element }
    }
}
