import Foundation
import GatewayCore

/// The entries of a file beside this one: malformed, forged and odd inputs, each with something in it that nobody may
/// print.
enum Corpus: String {
    case tokens, challenges
    case tokenResponses = "token-responses"
    case keySets = "key-sets"

    /// What stands for the secret.
    static let canary = "c4n4ry"

    /// The canary as it shows in text and, wherever it begins, in Base64 of either alphabet.
    static let marks =
        [canary]
        + (0..<3).map { offset in
            let text = Base64.encodeURL(Array(repeating: 0, count: offset) + Array(canary.utf8))
            return String(text.dropFirst(offset == 0 ? 0 : offset + 1).dropLast(offset == 0 ? 0 : 1))
        }

    /// The entries, one a line; lines with `#` in front are comments.
    func entries() throws -> [[UInt8]] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus")
        let text = try String(contentsOf: folder.appending(path: rawValue + ".txt"), encoding: .utf8)
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { Self.unescaped($0.utf8) }
    }

    private static func unescaped(_ line: Substring.UTF8View) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = line[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
                bytes.append(byte)
                continue
            }
            switch escape {
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "r"): bytes.append(0x0D)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "e"): break
            case UInt8(ascii: "x"):
                bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
                rest = rest.dropFirst(2)
            default: bytes.append(escape)
            }
        }
        return bytes
    }
}
