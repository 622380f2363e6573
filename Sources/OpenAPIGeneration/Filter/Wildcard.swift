/// A pattern in which `*` matches any text, including the empty text.
struct Wildcard {
    private let parts: [Substring]

    init(_ pattern: String) {
        parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
    }

    func matches(_ text: String) -> Bool {
        guard let first = parts.first, let last = parts.last else { return text.isEmpty }
        guard parts.count > 1 else { return text == first }
        guard text.hasPrefix(first), text.count >= first.count + last.count, text.hasSuffix(last) else {
            return false
        }
        var rest = text.dropFirst(first.count).dropLast(last.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }
}
