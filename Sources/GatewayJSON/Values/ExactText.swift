/// A text that is compared by code points (RFC 8259, section 8.3). `String` compares by canonical equivalence: to it, a
/// composed and a decomposed `é` are equal, and so are `K` and the sign for kelvin.
@_spi(Generated) public struct ExactText: Equatable, Sendable, ExpressibleByStringLiteral {
    private let text: String

    fileprivate init(_ text: String) { self.text = text }

    /// The text of a literal.
    public init(stringLiteral value: String) { text = value }

    /// Whether both texts have the same code points.
    public static func == (one: ExactText, other: ExactText) -> Bool { one.text.isExactly(other.text) }
}

extension String {
    /// The text, for a `switch` by code points.
    @_spi(Generated) public var exact: ExactText { ExactText(self) }

    /// Whether both texts have the same code points.
    package func isExactly(_ other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }
}
