/// Reads generated source as the lexer of Swift does, far enough to see that no text of a document has left its
/// literal or its comment.
enum SourceCheck {
    /// What is wrong with a file; nil where nothing is.
    static func fault(in text: String) -> String? {
        var brackets: [UInt8] = []
        var isInLiteral = false
        for (number, line) in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
        {
            var line = Array(line)
            let quotes = Array("\"\"\"".utf8)
            if isInLiteral {
                line = Array(line.drop { $0 == 0x20 })
                guard line.starts(with: quotes) else {
                    // The last line of a literal does not escape its end.
                    if line.last == UInt8(ascii: "\\") { line.removeLast() }
                    if literalEnd(line + [UInt8(ascii: "\"")], from: 0) != line.count {
                        return "line \(number + 1): a literal that ends inside"
                    }
                    continue
                }
                isInLiteral = false
                line.removeFirst(3)
            } else if line.suffix(3).elementsEqual(quotes), !isComment(line) {
                isInLiteral = true
                line.removeLast(3)
            }
            if let problem = fault(inLine: line, &brackets) { return "line \(number + 1): \(problem)" }
        }
        if isInLiteral { return "a literal without an end" }
        return brackets.isEmpty ? nil : "\(brackets.count) brackets are open at the end"
    }

    private static func isComment(_ line: [UInt8]) -> Bool {
        line.drop { $0 == 0x20 }.starts(with: "//".utf8)
    }

    private static func fault(inLine line: [UInt8], _ brackets: inout [UInt8]) -> String? {
        var index = 0
        while index < line.count {
            let byte = line[index]
            switch byte {
            case UInt8(ascii: "/"):
                // Only whole lines are comments, and none is a block's.
                guard index + 1 < line.count, line[index + 1] == UInt8(ascii: "/"),
                    line[..<index].allSatisfy({ $0 == 0x20 })
                else { return "a slash outside a comment" }
                return line.contains { $0 < 0x20 || $0 == 0x7F } ? "a control character in a comment" : nil
            case UInt8(ascii: "\""):
                guard let end = literalEnd(line, from: index + 1) else { return "a literal without an end" }
                index = end
            case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "["): brackets.append(byte)
            case UInt8(ascii: "}"):
                if brackets.popLast() != UInt8(ascii: "{") { return "a brace too many" }
            case UInt8(ascii: ")"):
                if brackets.popLast() != UInt8(ascii: "(") { return "a parenthesis too many" }
            case UInt8(ascii: "]"):
                if brackets.popLast() != UInt8(ascii: "[") { return "a bracket too many" }
            case 0x00..<0x20, 0x7F, UInt8(ascii: "#"), UInt8(ascii: ";"), UInt8(ascii: "\\"),
                UInt8(ascii: "$"), UInt8(ascii: "'"):
                return "byte \(byte) outside a literal"
            default: break
            }
            index += 1
        }
        return nil
    }

    /// Where a literal ends; nil for none, for interpolation, and for what is not printable ASCII.
    private static func literalEnd(_ line: [UInt8], from start: Int) -> Int? {
        var index = start
        while index < line.count {
            switch line[index] {
            case UInt8(ascii: "\""): return index
            case UInt8(ascii: "\\"):
                index += 1
                let escapes = [
                    UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "u"), UInt8(ascii: "n"),
                    UInt8(ascii: "t"), UInt8(ascii: "r"), UInt8(ascii: "0"),
                ]
                guard index < line.count, escapes.contains(line[index]) else { return nil }
            case 0x20...0x7E: break
            default: return nil
            }
            index += 1
        }
        return nil
    }
}
