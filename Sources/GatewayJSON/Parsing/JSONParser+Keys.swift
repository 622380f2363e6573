extension JSONParser {
    /// Throws `duplicateKey` if two members of an object have the same name: readers would differ on which one counts.
    mutating func checkKeys(of container: Int) throws(JSONError) {
        let count = tape.entries[container].length
        guard count > 1 else { return }
        keyHashes.removeAll(keepingCapacity: true)
        var key = container + 1
        // Few keys: compared with the earlier ones, if one of these has the same six bits. Many: sorted.
        var isSorted = count > 32
        var bits: UInt64 = 0
        while key < tape.entries.count {
            let hash = hash(tape.entries[key])
            let bit: UInt64 = 1 &<< (hash ^ hash &>> 32)
            if !isSorted, bits & bit != 0, keyHashes.contains(hash) { isSorted = true }
            bits |= bit
            keyHashes.append(hash)
            key = tape.end(of: key + 1)
        }
        if isSorted { try checkSortedKeys(of: container) }
    }

    private func checkSortedKeys(of container: Int) throws(JSONError) {
        var keys: [(hash: UInt64, index: Int)] = []
        keys.reserveCapacity(keyHashes.count)
        var key = container + 1
        for hash in keyHashes {
            keys.append((hash, key))
            key = tape.end(of: key + 1)
        }
        keys.sort { a, b in a.hash < b.hash }
        var start = 0
        while start < keys.count {
            var end = start + 1
            while end < keys.count, keys[end].hash == keys[start].hash { end += 1 }
            if end - start > 1 { try checkCollidingKeys(keys[start..<end].map(\.index)) }
            start = end
        }
    }

    /// Throws `duplicateKey` if two of these keys, which have the same hash, are equal.
    ///
    /// Keys with the same hash are easy to construct. Each key is resolved once, and no comparison reads more bytes than
    /// the shorter key has, so that a hostile document costs little more than a sort by hash.
    private func checkCollidingKeys(_ indices: [Int]) throws(JSONError) {
        var keys = indices.map { (content: content(tape.entries[$0]), index: $0) }
        keys.sort { a, b in a.content.lexicographicallyPrecedes(b.content) }
        for position in 1..<keys.count
        where keys[position - 1].content.elementsEqual(keys[position].content) {
            let later = tape.entries[max(keys[position - 1].index, keys[position].index)]
            throw JSONError(
                .duplicateKey, "duplicate key", offset: later.offset - 1)
        }
    }

    /// The hash of a key without escapes.
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
        source[entry.offset..<entry.offset + entry.length]
    }

    private func content(_ entry: JSONTape.Entry) -> ArraySlice<UInt8> {
        entry.kind == .string ? raw(entry) : JSONEscapes.resolved(raw(entry))[...]
    }
}
