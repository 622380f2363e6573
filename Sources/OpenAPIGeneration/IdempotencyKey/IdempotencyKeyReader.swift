import GatewayPatterns

/// Finds a form of generated keys that is valid for the schema of an `Idempotency-Key` parameter.
struct IdempotencyKeyReader {
    let schemas: SchemaTranslator

    static let hexadecimal = "0123456789abcdef"
    private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    private static let digits = "0123456789"
    /// In the order in which they are tried.
    private static let alphabets = [
        hexadecimal, digits + letters, digits + letters.prefix(26), letters,
        String(letters.prefix(26)), "ABCDEF" + digits, digits, "01234567",
    ]

    static func isKey(_ parameter: Parameter) -> Bool {
        parameter.location == .header && parameter.name.lowercased() == "idempotency-key"
    }

    /// Nil if no valid key can be generated.
    func form(of parameter: Parameter) -> IdempotencyKeyForm? {
        guard parameter.mediaType == nil, case .string(let format) = parameter.schema.shape else {
            return nil
        }
        let flat = parameter.part.flatMap { schemas.resolved($0) }
        guard flat?.values == nil else { return nil }
        let low = lengths(.minLength, of: flat).max() ?? 0
        let high = lengths(.maxLength, of: flat).min() ?? Int.max
        var check = PatternCheck((flat?.bounds[.pattern] ?? []).compactMap(\.string))
        let allowsUUID = (low...max(low, high)).contains(36)
        switch format {
        case .uuid: return allowsUUID && check.accepts(.uuid) ? .uuid : nil
        case .plain: break
        default: return nil
        }
        let shortest = max(low, 8)
        guard shortest <= high, shortest <= 255 else { return nil }
        let longest = min(high, 255)
        // 32 hexadecimal digits have 128 bits. In a shorter key, each character needs more bits.
        let first = IdempotencyKeyForm.text(
            alphabet: longest < 32 ? Self.alphabets[1] : Self.hexadecimal,
            count: min(max(32, shortest), longest))
        if check.accepts(first) { return first }
        if allowsUUID, check.accepts(.uuid) { return .uuid }
        // The lengths that are closest to the usual one first.
        let counts = (shortest...min(longest, max(shortest, 64))).sorted { abs($0 - 32) < abs($1 - 32) }
        for alphabet in Self.alphabets {
            for count in counts {
                let form = IdempotencyKeyForm.text(alphabet: alphabet, count: count)
                if check.accepts(form) { return form }
            }
        }
        return nil
    }

    private func lengths(_ bound: Bound, of flat: ResolvedSchema?) -> [Int] {
        (flat?.bounds[bound] ?? []).compactMap {
            guard case .number(let text) = $0.value, let count = Int(text), count >= 0 else { return nil }
            return count
        }
    }
}

/// Whether keys of a form match the patterns of a schema, judged by samples.
private struct PatternCheck {
    private let patterns: [TextPattern]
    /// Whether one of the patterns is not supported.
    private let isUnknown: Bool
    /// The remaining work for matching all texts.
    private var work = 5_000_000

    init(_ patterns: [String]) {
        self.patterns = patterns.compactMap { TextPattern($0) }
        isUnknown = self.patterns.count < patterns.count
    }

    mutating func accepts(_ form: IdempotencyKeyForm) -> Bool {
        guard !isUnknown else { return false }
        for sample in samples(form) {
            for pattern in patterns where pattern.matches(sample, work: &work) != true { return false }
        }
        return true
    }

    /// Each character of the alphabet at each place.
    private func samples(_ form: IdempotencyKeyForm) -> [String] {
        guard !patterns.isEmpty else { return [] }
        switch form {
        case .uuid:
            return ["01234567-89ab-4cde-8f01-23456789abcd", "fedcba98-7654-4321-bfed-cba987654321"]
        case .text(let alphabet, let count):
            let characters = Array(alphabet)
            return characters.indices.map { start in
                String((0..<count).map { characters[(start + $0) % characters.count] })
            }
        }
    }
}
