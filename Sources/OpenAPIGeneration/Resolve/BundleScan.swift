/// Whether a document needs bundling: it has more than one resource.
enum BundleScan {
    /// Whether a reference points outside the document, or a schema has an `$id`.
    static func isNeeded(_ root: Node, version: OpenAPIVersion) -> Bool {
        leaves(root, .object(.document), version == .v3_0)
    }

    private static func leaves(_ node: Node, _ role: NodeRole, _ ignoresIDs: Bool) -> Bool {
        guard role != .data else { return false }
        switch node.value {
        case .object(let object):
            for member in object.members {
                switch member.value.value {
                case .object, .array:
                    if leaves(member.value, role.member(member.key), ignoresIDs) { return true }
                case .string(let text):
                    if member.key == "$ref", text.utf8.first != UInt8(ascii: "#") { return true }
                    if member.key == "$id", !ignoresIDs { return true }
                default: continue
                }
            }
            return false
        case .array(let items):
            for item in items where leaves(item, role.element, ignoresIDs) { return true }
            return false
        default: return false
        }
    }
}
