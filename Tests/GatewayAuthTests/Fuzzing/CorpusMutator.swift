import GatewayCore
import GatewayTesting

/// Makes further inputs out of others: the same seed makes the same ones.
struct CorpusMutator {
    private static let pieces: [[UInt8]] = [
        "..", "==", ",,", "\"\"", "\\\"", "{}", "[[", "\0", "\r\n", "\u{FEFF}", "e30", "null", "-1e999", "=",
    ].map { Array($0.utf8) }

    private let random: SeededRandomSource
    private let seeds: [[UInt8]]

    init(seed: UInt64, seeds: [[UInt8]]) {
        random = SeededRandomSource(seed: seed)
        self.seeds = seeds
    }

    /// Another input.
    func next() -> [UInt8] {
        var bytes = seeds[random.int(in: 0..<seeds.count)]
        for _ in 0..<random.int(in: 1..<4) { mutate(&bytes) }
        return bytes
    }

    private func mutate(_ bytes: inout [UInt8]) {
        let position = random.int(in: 0..<(bytes.count + 1))
        let length = min(bytes.count - position, random.int(in: 1..<12))
        switch random.int(in: 0..<7) {
        case 0 where position < bytes.count: bytes[position] ^= 1 << UInt8(random.int(in: 0..<8))
        case 1: bytes.removeSubrange(position..<(position + length))
        case 2: bytes.insert(UInt8(random.int(in: 0..<256)), at: position)
        case 3: bytes.insert(contentsOf: Self.pieces[random.int(in: 0..<Self.pieces.count)], at: position)
        case 4: bytes.insert(contentsOf: bytes[position..<(position + length)], at: position)
        case 5: bytes.removeSubrange(position...)
        default:
            let other = seeds[random.int(in: 0..<seeds.count)]
            bytes.replaceSubrange(position..., with: other.suffix(random.int(in: 0..<(other.count + 1))))
        }
    }
}
