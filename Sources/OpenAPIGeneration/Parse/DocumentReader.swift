/// Reads a document's bytes into a tree: JSON or YAML, by the file's name and its first character.
enum DocumentReader {
    static func read(
        _ bytes: [UInt8], path: String, file: UInt32 = 0, sink: DiagnosticSink
    ) throws(Diagnostic) -> Node {
        var bytes = bytes
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            throw .error(
                .encoding, "UTF-16 is not supported; encode the document in UTF-8", at: .start(of: file))
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        if let invalid = UTF8Check.firstInvalid(bytes, file: file) {
            throw .error(.encoding, "invalid UTF-8", at: invalid)
        }
        if path.lowercased().hasSuffix(".json") { return try JSONReader.read(bytes, file: file) }
        // JSON in a YAML file is common. If it is not valid JSON, it may still be YAML flow style.
        let first = bytes.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
        if first == UInt8(ascii: "{"), let node = try? JSONReader.read(bytes, file: file) { return node }
        return try YAMLReader.read(bytes, file: file, sink: sink)
    }
}
