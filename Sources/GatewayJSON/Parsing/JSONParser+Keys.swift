extension JSONParser {
    /// Refuses an object that names a member twice: readers would differ on which one counts.
    mutating func checkKeys(of container: Int) throws(JSONError) {
        let count = Int(tape.entries[container].length)
        guard count > 1 else { return }
        keyHashes.removeAll(keepingCapacity: true)
        var key = container + 1
        while key < tape.entries.count {
            keyHashes.append(hash(tape.entries[key]))
            key = Int(tape.entries[key + 1].next)
        }
        // Few keys: every pair. Many: sorted, by content where hashes are equal: that could be an attack.
        if count > 32 { return try checkSortedKeys(of: container) }
        for later in 1..<count {
            let hash = keyHashes[later]
            for earlier in 0..<later where keyHashes[earlier] == hash {
                try checkPair(keyEntry(earlier, of: container), keyEntry(later, of: container))
            }
        }
    }

    private func checkSortedKeys(of container: Int) throws(JSONError) {
        var keys: [(hash: UInt64, index: Int)] = []
        keys.reserveCapacity(keyHashes.count)
        var key = container + 1
        for hash in keyHashes {
            keys.append((hash, key))
            key = Int(tape.entries[key + 1].next)
        }
        keys.sort { a, b in
            if a.hash != b.hash { return a.hash < b.hash }
            return content(tape.entries[a.index]).lexicographicallyPrecedes(content(tape.entries[b.index]))
        }
        for index in 1..<keys.count where keys[index - 1].hash == keys[index].hash {
            let (a, b) = (keys[index - 1].index, keys[index].index)
            try checkPair(tape.entries[min(a, b)], tape.entries[max(a, b)])
        }
    }

    private func checkPair(_ earlier: JSONTape.Entry, _ later: JSONTape.Entry) throws(JSONError) {
        if content(earlier).elementsEqual(content(later)) {
            throw JSONError(
                .duplicateKey, "an object names a member twice", offset: Int(later.offset) - 1)
        }
    }

    private func keyEntry(_ position: Int, of container: Int) -> JSONTape.Entry {
        var key = container + 1
        for _ in 0..<position { key = Int(tape.entries[key + 1].next) }
        return tape.entries[key]
    }

    /// Keys that are equal have the same.
    private func hash(_ entry: JSONTape.Entry) -> UInt64 {
        guard entry.kind == .string else { return Self.hash(JSONEscapes.resolved(raw(entry))[...]) }
        return Self.hash(raw(entry))
    }

    private static func hash(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        // FNV-1a.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return hash
    }

    private func raw(_ entry: JSONTape.Entry) -> ArraySlice<UInt8> {
        source[Int(entry.offset)..<Int(entry.offset) + Int(entry.length)]
    }

    private func content(_ entry: JSONTape.Entry) -> ArraySlice<UInt8> {
        entry.kind == .string ? raw(entry) : JSONEscapes.resolved(raw(entry))[...]
    }
}
