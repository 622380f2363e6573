/// A text that is compared by code points, as JSON names and values are (RFC 8259, section 8.3). `String` compares by
/// canonical equivalence: to it, a composed and a decomposed `é` are equal.
///
/// The key of dictionaries and sets of names and values of a document.
package struct ExactText: Hashable, Comparable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: ExactText, right: ExactText) -> Bool { left.text.isSame(as: right.text) }

    package func hash(into hasher: inout Hasher) {
        guard !text.isASCII else { return hasher.combine(text) }
        for byte in text.utf8 { hasher.combine(byte) }
    }

    /// The order of `String`. Equivalent texts are in the order of their bytes.
    package static func < (left: ExactText, right: ExactText) -> Bool {
        guard left.text == right.text else { return left.text < right.text }
        return left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

extension String {
    /// Whether both texts have the same code points.
    @inline(never)
    func isSame(as other: String) -> Bool {
        guard utf8.count == other.utf8.count, self == other else { return false }
        return isASCII || utf8.elementsEqual(other.utf8)
    }

    /// The standard library knows this of a text, so that it costs nothing.
    fileprivate var isASCII: Bool { utf16.count == utf8.count }
}

extension Dictionary where Key == ExactText {
    package subscript(text: String) -> Value? {
        get { self[ExactText(text)] }
        set { self[ExactText(text)] = newValue }
    }

    subscript(text: String, default value: @autoclosure () -> Value) -> Value {
        get { self[ExactText(text), default: value()] }
        set { self[ExactText(text)] = newValue }
    }
}

extension Set where Element == ExactText {
    init(texts: [String]) { self.init(texts.map { ExactText($0) }) }

    func contains(_ text: String) -> Bool { contains(ExactText(text)) }

    /// Returns whether the text is new.
    mutating func insert(_ text: String) -> Bool { insert(ExactText(text)).inserted }

    var texts: [String] { sorted().map(\.text) }
}
