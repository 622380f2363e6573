import Foundation

/// A file of inputs that fuzzers begin with, one a line. Lines with `#` in front are comments; `\n`, `\r`, `\t`, `\xHH`
/// and `\\` stand for bytes that a line cannot hold, and `\e` for nothing at all, where an entry is empty.
package struct CorpusFile {
    private let path: URL

    /// The file `Corpus/NAME.txt` beside the source file that asks.
    package init(_ name: String, beside source: String = #filePath) {
        path = URL(filePath: source).deletingLastPathComponent().appending(path: "Corpus/\(name).txt")
    }

    package func entries() throws -> [[UInt8]] {
        let text = try String(contentsOf: path, encoding: .utf8)
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
