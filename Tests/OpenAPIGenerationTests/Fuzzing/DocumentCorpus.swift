import Foundation

/// The entries of the files that the fuzzers begin with, one a line.
enum DocumentCorpus: String, CaseIterable {
    case json = "json-documents"
    case yaml = "yaml-documents"
    case generator = "generator-documents"

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
