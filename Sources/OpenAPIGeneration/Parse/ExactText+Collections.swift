// The names and values of a document are compared by code points in the whole module.
@_exported public import GatewayPatterns

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
