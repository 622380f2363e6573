extension TraceContext {
    private static let memberLimit = 32

    /// The values of `tracestate` fields as one, without white space around members, without empty members, and with the first
    /// member of each key: senders are responsible for unique keys (§3.3.1.3.1), so that a duplicate is no reason to lose the
    /// others.
    ///
    /// - Returns: empty if a member is invalid, or there are more than 32 members (§3.3).
    static func validState(_ values: [String]) -> String {
        if values.allSatisfy(\.isEmpty) { return "" }
        var members: [Substring] = []
        var keys: Set<Substring> = []
        for value in values {
            for part in value.utf8.split(separator: UInt8(ascii: ",")) {
                let member = Substring(part).trimmingHTTPWhitespace()
                if member.isEmpty { continue }
                guard let mark = member.utf8.firstIndex(of: UInt8(ascii: "=")), isKey(member[..<mark]),
                    isValue(member[mark...].dropFirst())
                else { return "" }
                guard keys.insert(member[..<mark]).inserted else { continue }
                if members.count == memberLimit { return "" }
                members.append(member)
            }
        }
        return members.joined(separator: ",")
    }

    /// 1 to 256 characters: a lower-case letter or a digit, then also `_`, `-`, `*`, `/` and `@` (§3.3.1.3.1).
    private static func isKey(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= 256, isLetter(first) || isDigit(first) else {
            return false
        }
        return text.utf8.allSatisfy { isLetter($0) || isDigit($0) || "_-*/@".utf8.contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// 1 to 256 characters of visible ASCII and spaces without `,` and `=`, not ending with a space.
    private static func isValue(_ text: Substring) -> Bool {
        guard let last = text.utf8.last, last != 0x20, text.utf8.count <= 256 else { return false }
        return text.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") }
    }
}
