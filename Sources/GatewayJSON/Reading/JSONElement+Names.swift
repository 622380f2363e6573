internal import GatewayPatterns

extension JSONElement {
    /// The member with a name that is not known when the code is compiled; nil if there is none or this is not an object.
    /// Errors do not show the name.
    func member(_ name: String) -> JSONElement? {
        guard entry.kind == .object else { return nil }
        let isPlain = document.hasPlainKeys && name.utf8.allSatisfy { $0 < 0x80 }
        let end = document.end(of: index)
        var key = index + 1
        while key < end {
            let entry = document.entries[key]
            // Names that are written in different ways can be equal.
            let isFound =
                isPlain
                ? document.raw(entry).elementsEqual(name.utf8) : document.text(at: key).isSame(as: name)
            if isFound {
                return JSONElement(document: document, index: key + 1, hidden: hidden &<< 1 | 1)
            }
            key = document.end(of: key + 1)
        }
        return nil
    }

    /// Throws `duplicateKey` if an object in this value has two names that are canonically equivalent.
    func refuseEquivalentNames() throws(JSONError) {
        // Names of ASCII characters are equivalent only if they are equal, which the parser refuses.
        guard !document.hasPlainKeys else { return }
        let end =
            document.allowsFaultsWithin ? min(index + 1, document.end(of: index)) : document.end(of: index)
        try document.watch?.charge(end - index)
        for object in index..<end
        where document.entries[object].kind == .object && document.entries[object].length > 1 {
            var names: Set<String> = []
            var key = object + 1
            while key < document.end(of: object) {
                guard names.insert(document.text(at: key)).inserted else {
                    throw JSONError(
                        .duplicateKey, .fixed("duplicate key: two names are canonically equivalent"),
                        at: .value(descendant(object)))
                }
                key = document.end(of: key + 1)
            }
        }
    }

    /// A value in this one, with names that nobody asked for.
    private func descendant(_ index: Int) -> JSONElement {
        let depth = UInt64(document.depth(of: index, in: self.index))
        // A smart shift: all bits are set if there are more steps than bits.
        return JSONElement(document: document, index: index, hidden: hidden << depth | ~(UInt64.max << depth))
    }
}
