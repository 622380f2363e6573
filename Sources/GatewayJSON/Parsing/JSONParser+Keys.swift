extension JSONParser {
    /// Refuses an object that names a member twice: readers would differ on which one counts.
    func checkKeys(of container: Int) throws(JSONError) {
        let entries = tape.entries
        let count = Int(entries[container].length)
        guard count > 1 else { return }
        // Few keys: every pair, by length first. Many: sorted, since a hash could be attacked.
        if count <= 12 {
            var key = container + 1
            while key < entries.count {
                var earlier = container + 1
                while earlier < key {
                    if sameKey(entries[earlier], entries[key]) { throw duplicate(entries[key]) }
                    earlier = Int(entries[earlier + 1].next)
                }
                key = Int(entries[key + 1].next)
            }
            return
        }
        var keys: [Int] = []
        keys.reserveCapacity(count)
        var key = container + 1
        while key < entries.count {
            keys.append(key)
            key = Int(entries[key + 1].next)
        }
        keys.sort { precedes(entries[$0], entries[$1]) }
        for index in 1..<keys.count where sameKey(entries[keys[index - 1]], entries[keys[index]]) {
            throw duplicate(entries[max(keys[index - 1], keys[index])])
        }
    }

    private func duplicate(_ entry: JSONTape.Entry) -> JSONError {
        JSONError(.duplicateKey, "an object names a member twice", offset: Int(entry.offset) - 1)
    }

    private func sameKey(_ a: JSONTape.Entry, _ b: JSONTape.Entry) -> Bool {
        if a.kind == .string && b.kind == .string && a.length != b.length { return false }
        return content(a).elementsEqual(content(b))
    }

    private func precedes(_ a: JSONTape.Entry, _ b: JSONTape.Entry) -> Bool {
        content(a).lexicographicallyPrecedes(content(b))
    }

    private func content(_ entry: JSONTape.Entry) -> ArraySlice<UInt8> {
        let raw = source[Int(entry.offset)..<Int(entry.offset) + Int(entry.length)]
        return entry.kind == .string ? raw : JSONEscapes.resolved(raw)[...]
    }
}
