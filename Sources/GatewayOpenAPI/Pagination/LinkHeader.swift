/// The `Link` header field (RFC 8288, section 3).
enum LinkHeader {
    /// The target of the first link from this resource with the relation `next`; `nil` if no such link exists. Text
    /// that is not a link is skipped.
    static func next(in value: String) -> String? {
        var reader = Reader(bytes: Array(value.utf8))
        while let link = reader.link() {
            if link.isNext { return link.target }
        }
        return nil
    }

    private struct Link {
        let target: String
        let isNext: Bool
    }

    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

        mutating func link() -> Link? {
            while true {
                skip { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
                guard byte != nil else { return nil }
                guard byte == UInt8(ascii: "<") else {
                    // Not a link: skip to the next comma.
                    _ = text { $0 != UInt8(ascii: ",") }
                    continue
                }
                position += 1
                let target = text { $0 != UInt8(ascii: ">") }
                guard byte != nil else { return nil }
                position += 1
                let parameters = parameters()
                // Only the first `rel` is used (RFC 8288, section 3.3). A link with an `anchor` is from another
                // resource.
                let relation = parameters.first { $0.name == "rel" }?.value ?? ""
                let isNext = relation.split { $0 == " " || $0 == "\t" }.contains { $0.lowercased() == "next" }
                return Link(target: target, isNext: isNext && !parameters.contains { $0.name == "anchor" })
            }
        }

        private mutating func parameters() -> [(name: String, value: String)] {
            var result: [(String, String)] = []
            while true {
                skip { $0 == 0x20 || $0 == 0x09 }
                guard byte == UInt8(ascii: ";") else { return result }
                position += 1
                skip { $0 == 0x20 || $0 == 0x09 }
                let name = text(while: Self.isToken).lowercased()
                skip { $0 == 0x20 || $0 == 0x09 }
                var value = ""
                if byte == UInt8(ascii: "=") {
                    position += 1
                    skip { $0 == 0x20 || $0 == 0x09 }
                    value = byte == UInt8(ascii: "\"") ? quoted() : text(while: Self.isToken)
                }
                if !name.isEmpty { result.append((name, value)) }
            }
        }

        private mutating func quoted() -> String {
            position += 1
            var value: [UInt8] = []
            while let byte, byte != UInt8(ascii: "\"") {
                if byte == UInt8(ascii: "\\"), position + 1 < bytes.count { position += 1 }
                value.append(bytes[position])
                position += 1
            }
            if byte != nil { position += 1 }
            return String(decoding: value, as: UTF8.self)
        }

        private static func isToken(_ byte: UInt8) -> Bool {
            switch byte {
            case 0...0x20, 0x7F, UInt8(ascii: ";"), UInt8(ascii: ","), UInt8(ascii: "="), UInt8(ascii: "\""):
                false
            default: true
            }
        }

        private mutating func skip(while condition: (UInt8) -> Bool) {
            while let byte, condition(byte) { position += 1 }
        }

        private mutating func text(while condition: (UInt8) -> Bool) -> String {
            let start = position
            skip(while: condition)
            return String(decoding: bytes[start..<position], as: UTF8.self)
        }
    }
}
