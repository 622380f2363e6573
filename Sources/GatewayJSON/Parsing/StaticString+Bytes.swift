extension StaticString {
    /// The byte at a position of a literal.
    @inline(__always)
    func byte(at index: Int) -> UInt8 {
        // A string literal is stored by pointer, and lives as long as the program.
        unsafe utf8Start[index]
    }
}
