/// Whether a document needs bundling: it has more than one resource.
enum BundleScan {
    /// Whether a reference points outside the document, or a schema has an `$id`.
    static func isNeeded(_ root: Node, version: OpenAPIVersion) -> Bool {
        var isNeeded = false
        DocumentWalk(kind: .document).members(of: root) { member, _ in
            guard !isNeeded, case .string(let text) = member.value.value else { return !isNeeded }
            isNeeded =
                (member.key == "$ref" && text.utf8.first != UInt8(ascii: "#"))
                || (member.key == "$id" && version != .v3_0)
            return false
        }
        return isNeeded
    }
}
