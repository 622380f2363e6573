/// The elements of an array, in order.
public struct JSONElements: Sequence, Sendable {
    let document: JSONDocument
    let container: Int
    /// Of each element, as in ``JSONElement/hidden``.
    let hidden: UInt64

    /// How many there are.
    public var count: Int { document.entries[container].length }

    /// How many there are.
    public var underestimatedCount: Int { count }

    /// Walks over the elements.
    public func makeIterator() -> Iterator {
        Iterator(document: document, container: container, hidden: hidden)
    }

    /// Walks over the elements of an array.
    public struct Iterator: IteratorProtocol, Sendable {
        let document: JSONDocument
        private var index: Int
        private let end: Int
        private let hidden: UInt64

        init(document: JSONDocument, container: Int, hidden: UInt64) {
            self.document = document
            self.hidden = hidden
            index = container + 1
            end = document.end(of: container)
        }

        /// The next element; nil after the last.
        public mutating func next() -> JSONElement? {
            guard index < end else { return nil }
            defer { index = document.end(of: index) }
            return JSONElement(document: document, index: index, hidden: hidden)
        }
    }
}
