/// One file of generated source.
package struct GeneratedFile: Hashable, Sendable {
    /// The path relative to the output directory.
    package let name: String
    /// Its content.
    package let text: String

    static let operationBuckets = 16
    static let schemaBuckets = 32

    /// The names of all files of a client, independent of the content of its document.
    static func names(
        namespace: String
    ) -> (client: String, failures: String, webhooks: String, operations: [String], schemas: [String]) {
        func numbered(_ kind: String, _ count: Int) -> [String] {
            (0..<count).map { "\(namespace)\(kind).\($0 < 10 ? "0" : "")\($0).swift" }
        }
        return (
            namespace + "Client.swift", namespace + "Failures.swift", namespace + "Webhooks.swift",
            numbered("Operations", operationBuckets),
            numbered("Schemas", schemaBuckets)
        )
    }
}

/// The access level of generated declarations.
package enum AccessLevel: String, CaseIterable, Sendable {
    case `public`, package, `internal`

    /// The prefix of a declaration.
    var prefix: String {
        self == .internal ? "" : rawValue + " "
    }
}

/// 64-bit FNV-1a. Unlike `Hasher`, it is stable across runs and machines.
enum StableHash {
    static func hash(_ text: String) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 {
            hash ^= UInt64(byte)
            hash = hash &* 0x100_0000_01b3
        }
        return hash
    }

    /// The file for a place. A local edit of the document changes only one file.
    static func bucket(_ pointer: JSONPointer, of count: Int) -> Int {
        Int(hash(String(pointer.text.dropFirst())) % UInt64(count))
    }
}
