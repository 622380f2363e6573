/// Whether a document needs bundling: it has more than one resource.
enum BundleScan {
    /// Whether a reference points outside the document, or a schema has an `$id`.
    static func isNeeded(_ root: Node, version: OpenAPIVersion) -> Bool {
        leaves(root, version == .v3_0)
    }

    private static func leaves(_ node: Node, _ ignoresIDs: Bool) -> Bool {
        switch node.value {
        case .object(let object):
            for member in object.members {
                switch member.value.value {
                case .object, .array:
                    if data.contains(member.key) { continue }
                    if leaves(member.value, ignoresIDs) { return true }
                case .string(let text):
                    if member.key == "$ref", text.utf8.first != UInt8(ascii: "#") { return true }
                    if member.key == "$id", !ignoresIDs { return true }
                default: continue
                }
            }
            return false
        case .array(let items):
            for item in items where leaves(item, ignoresIDs) { return true }
            return false
        default: return false
        }
    }

    /// Keywords whose values are data, even if they look like references.
    static let data: Set<String> = ["example", "examples", "default", "const", "enum"]
}
