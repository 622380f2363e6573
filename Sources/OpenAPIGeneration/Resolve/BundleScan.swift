/// Whether a document is more than one resource: only then is it worth bundling.
enum BundleScan {
    /// Whether a reference leads out of the document, or a schema has an `$id` of its own.
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

    /// What these hold is data, whatever it looks like.
    static let data: Set<String> = ["example", "examples", "default", "const", "enum"]
}
