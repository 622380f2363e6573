/// Everything that Swift can print of a value.
enum Printer {
    /// The value by itself and in what often holds one.
    static func allTexts(of value: Any) -> String {
        let optional: Any? = value
        let wrapped: [Any] = [
            value, optional as Any, [value], ["key": value], Result<Any, Never>.success(value),
        ]
        var text = ""
        for value in wrapped {
            text += "\(value)\n" + String(describing: value) + "\n" + String(reflecting: value) + "\n"
            dump(value, to: &text)
            var walk = Walk()
            walk.visit(value, depth: 0)
            text += walk.text
        }
        if let error = value as? any Error { text += "\(error)\n" + String(reflecting: error) + "\n" }
        return text
    }

    /// What mirrors show: labels and values of the children, of the children's children, and of superclasses.
    private struct Walk {
        var text = ""
        private var seen: Set<ObjectIdentifier> = []

        mutating func visit(_ value: Any, depth: Int) {
            guard depth < 24 else { return }
            if type(of: value) is AnyClass {
                guard seen.insert(ObjectIdentifier(value as AnyObject)).inserted else { return }
            }
            // Bytes that an array would print as numbers are read as text.
            if let bytes = Self.bytes(value) { text += String(decoding: bytes, as: UTF8.self) + "\n" }
            text += "\(value)\n" + String(reflecting: value) + "\n"
            if let value = value as? any CustomStringConvertible { text += value.description + "\n" }
            if let value = value as? any CustomDebugStringConvertible {
                text += value.debugDescription + "\n"
            }
            var mirror: Mirror? = Mirror(reflecting: value)
            while let current = mirror {
                for child in current.children {
                    if let label = child.label { text += label + "\n" }
                    visit(child.value, depth: depth + 1)
                }
                mirror = current.superclassMirror
            }
        }

        private static func bytes(_ value: Any) -> [UInt8]? {
            if let bytes = value as? [UInt8] { return bytes }
            if let bytes = value as? ArraySlice<UInt8> { return Array(bytes) }
            return nil
        }
    }

    /// The stored properties that mirrors show and whose type can hold text or bytes, empty ones too:
    /// `Module.Type.property`.
    static func texts(of value: Any) -> Set<String> {
        var found: Set<String> = []
        var seen: Set<ObjectIdentifier> = []
        func visit(_ value: Any, in owner: String, depth: Int) {
            guard depth < 24 else { return }
            if type(of: value) is AnyClass {
                guard seen.insert(ObjectIdentifier(value as AnyObject)).inserted else { return }
            }
            let mirror = Mirror(reflecting: value)
            let isContainer: Bool
            switch mirror.displayStyle {
            case .optional, .collection, .set, .dictionary, .tuple: isContainer = true
            default: isContainer = false
            }
            for child in mirror.children {
                let type = String(describing: Swift.type(of: child.value))
                    .replacing("StaticString", with: "")
                let place =
                    isContainer
                    ? owner : SecrecyTests.name(ofType: Swift.type(of: value)) + "." + (child.label ?? "")
                if type.contains("String") || type.contains("Substring") || type.contains("UInt8>") {
                    found.insert(place)
                }
                visit(child.value, in: place, depth: depth + 1)
            }
        }
        visit(value, in: "", depth: 0)
        return found
    }
}
