/// A text that is compared by code points, as JSON names and values are (RFC 8259, section 8.3). `String` compares by
/// canonical equivalence: to it, a composed and a decomposed `é` are equal, and so are `K` and the sign for kelvin.
public struct ExactText: Hashable, Comparable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    /// Whether both texts have the same code points.
    public static func == (left: ExactText, right: ExactText) -> Bool { left.text.isSame(as: right.text) }

    /// Hashes the code points.
    public func hash(into hasher: inout Hasher) {
        guard !text.isASCII else { return hasher.combine(text) }
        for byte in text.utf8 { hasher.combine(byte) }
    }

    /// The order of `String`. Equivalent texts are in the order of their bytes.
    public static func < (left: ExactText, right: ExactText) -> Bool {
        guard left.text == right.text else { return left.text < right.text }
        return left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

extension String {
    /// Whether both texts have the same code points.
    @inline(never)
    package func isSame(as other: String) -> Bool {
        guard utf8.count == other.utf8.count, self == other else { return false }
        return isASCII || utf8.elementsEqual(other.utf8)
    }

    /// The standard library knows this of a text, so that it costs nothing.
    fileprivate var isASCII: Bool { utf16.count == utf8.count }
}
