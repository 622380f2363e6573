/// One file of generated source.
package struct GeneratedFile: Hashable, Sendable {
    /// The file's path below the folder that the client goes to: a name, in one layout also a folder's.
    package let name: String
    /// Its content.
    package let text: String

    static let operationBuckets = 16
    static let schemaBuckets = 32

    /// The names of all files of a client, whatever its document holds.
    static func names(
        namespace: String
    ) -> (client: String, failures: String, webhooks: String, operations: [String], schemas: [String]) {
        func numbered(_ kind: String, _ count: Int) -> [String] {
            (0..<count).map { namespace + kind + "." + ($0 < 10 ? "0" : "") + String($0) + ".swift" }
        }
        return (
            namespace + "Client.swift", namespace + "Failures.swift", namespace + "Webhooks.swift",
            numbered("Operations", operationBuckets),
            numbered("Schemas", schemaBuckets)
        )
    }
}

/// Who sees generated declarations.
package enum AccessLevel: String, CaseIterable, Sendable {
    case `public`, package, `internal`

    /// What stands before a declaration.
    var prefix: String {
        self == .internal ? "" : rawValue + " "
    }
}

/// FNV-1a with 64 bits: the same in every run and on every machine, unlike Swift's own hashes.
enum StableHash {
    static func hash(_ text: String) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 {
            hash ^= UInt64(byte)
            hash = hash &* 0x100_0000_01b3
        }
        return hash
    }

    /// The file of a place, so that one edit of the document rewrites one file.
    static func bucket(_ pointer: JSONPointer, of count: Int) -> Int {
        Int(hash(String(pointer.text.dropFirst())) % UInt64(count))
    }
}
