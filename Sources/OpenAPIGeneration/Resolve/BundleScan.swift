/// Whether a document needs bundling: it has more than one resource.
enum BundleScan {
    /// Whether a reference points outside the document, or a schema has an `$id`.
    static func isNeeded(_ root: Node, version: OpenAPIVersion) -> Bool {
        func isOther(_ member: Node.Object.Member) -> Bool {
            guard case .string(let text) = member.value.value else { return false }
            return member.key == "$ref" && text.utf8.first != UInt8(ascii: "#")
                || member.key == "$id" && version != .v3_0
        }
        guard root.hasMember(where: isOther) else { return false }
        var isNeeded = false
        DocumentWalk(kind: .document).members(of: root) { member, _ in
            isNeeded = isNeeded || isOther(member)
            return !isNeeded
        }
        return isNeeded
    }
}
