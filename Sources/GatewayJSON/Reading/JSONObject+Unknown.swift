extension JSONObject {
    /// All members except the known ones, with their values as compact JSON.
    ///
    /// - Throws: `tooComplex`, when the branches of unions within unions are tried too many times.
    public func unknown(_ known: [StaticString] = []) throws(JSONError) -> UnknownProperties {
        var result: [UnknownProperties.Property] = []
        let end = document.entries[index].end(at: index)
        var key = index + 1
        // Members are usually in the order of the known ones.
        var expected = 0
        while key < end {
            let value = key + 1
            let next = document.entries[value].end(at: value)
            if let position = position(of: key, in: known, from: expected) {
                expected = position + 1
            } else {
                try document.watch?.charge(next - value)
                var json: [UInt8] = []
                document.appendCompact(value, to: &json)
                if json.count > 256 { try document.watch?.charge(json.count / 32) }
                result.append(.init(name: document.text(at: key), json: json))
            }
            key = next
        }
        return UnknownProperties(result)
    }

    private func position(of key: Int, in known: [StaticString], from start: Int) -> Int? {
        for position in start..<max(start, known.count)
        where document.key(at: key, equals: known[position]) { return position }
        for position in 0..<min(start, known.count)
        where document.key(at: key, equals: known[position]) { return position }
        return nil
    }
}

extension JSONDocument {
    /// Appends a value without white space, with strings and numbers as they were received.
    fileprivate func appendCompact(_ index: Int, to json: inout [UInt8]) {
        let entry = entries[index]
        switch entry.kind {
        case .null, .true, .false, .integer, .number: json.append(contentsOf: raw(entry))
        case .string, .escapedString:
            json.append(UInt8(ascii: "\""))
            json.append(contentsOf: raw(entry))
            json.append(UInt8(ascii: "\""))
        case .array:
            json.append(UInt8(ascii: "["))
            var child = index + 1
            while child < entry.end(at: index) {
                if child > index + 1 { json.append(UInt8(ascii: ",")) }
                appendCompact(child, to: &json)
                child = entries[child].end(at: child)
            }
            json.append(UInt8(ascii: "]"))
        case .object:
            json.append(UInt8(ascii: "{"))
            var child = index + 1
            while child < entry.end(at: index) {
                if child > index + 1 { json.append(UInt8(ascii: ",")) }
                appendCompact(child, to: &json)
                json.append(UInt8(ascii: ":"))
                appendCompact(child + 1, to: &json)
                child = entries[child + 1].end(at: child + 1)
            }
            json.append(UInt8(ascii: "}"))
        }
    }
}
