/// Values as JSON on one line.
enum JSONText {
    /// `text` in double quotes.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value):
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    static func array(_ items: [String]) -> String { "[" + items.joined(separator: ", ") + "]" }

    /// An object. Members without a value are omitted.
    static func object(_ members: [(name: String, value: String?)]) -> String {
        let present = members.compactMap { member in
            member.value.map { quoted(member.name) + ": " + $0 }
        }
        return "{" + present.joined(separator: ", ") + "}"
    }
}
