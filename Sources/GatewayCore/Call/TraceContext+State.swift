extension TraceContext {
    private static let memberLimit = 32

    /// The values of `tracestate` fields as one, without white space around members and without empty members.
    ///
    /// - Returns: empty if a member is invalid, a key is a duplicate, or there are more than 32 members (§3.3).
    static func validState(_ values: [String]) -> String {
        if values.allSatisfy(\.isEmpty) { return "" }
        var members: [Substring] = []
        var keys: Set<Substring> = []
        for value in values {
            for part in value.utf8.split(separator: UInt8(ascii: ",")) {
                let member = Substring(part).trimmingHTTPWhitespace()
                if member.isEmpty { continue }
                guard let mark = member.utf8.firstIndex(of: UInt8(ascii: "=")), isKey(member[..<mark]),
                    isValue(member[mark...].dropFirst()), keys.insert(member[..<mark]).inserted,
                    members.count < memberLimit
                else { return "" }
                members.append(member)
            }
        }
        return members.joined(separator: ",")
    }

    /// `key`, or `tenant@system` with 241 and 14 characters at most.
    private static func isKey(_ text: Substring) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        switch parts.count {
        case 1: return isKey(parts[0], longest: 256)
        case 2:
            return isKey(parts[0], longest: 241) && isKey(parts[1], longest: 14)
                && !(parts[1].first.map(isDigit) ?? true)
        default: return false
        }
    }

    private static func isKey(_ text: Substring.UTF8View, longest: Int) -> Bool {
        guard let first = text.first, text.count <= longest, isLetter(first) || isDigit(first) else {
            return false
        }
        return text.allSatisfy { isLetter($0) || isDigit($0) || "_-*/".utf8.contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// 1 to 256 characters of visible ASCII and spaces without `,` and `=`, not ending with a space.
    private static func isValue(_ text: Substring) -> Bool {
        guard let last = text.utf8.last, last != 0x20, text.utf8.count <= 256 else { return false }
        return text.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") }
    }
}
