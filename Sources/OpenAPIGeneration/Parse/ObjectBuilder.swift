/// Gathers the members of one object and refuses a key that comes twice.
///
/// Small objects are searched linearly; from `indexedFrom` members on a dictionary takes over, so that a
/// document of one huge object is not quadratic.
struct ObjectBuilder {
    static let indexedFrom = 12

    private var members: [Node.Object.Member] = []
    private var index: [String: Int]?

    /// Adds a member, or returns the place of the earlier one with the same key.
    mutating func add(_ key: String, at keyPosition: SourcePosition, _ value: Node) -> SourcePosition? {
        if let earlier = position(of: key) { return earlier }
        index?[key] = members.count
        members.append(Node.Object.Member(key: key, keyPosition: keyPosition, value: value))
        if index == nil, members.count >= Self.indexedFrom {
            var index: [String: Int] = [:]
            for (offset, member) in members.enumerated() { index[member.key] = offset }
            self.index = index
        }
        return nil
    }

    /// The place of a key that was added before.
    func position(of key: String) -> SourcePosition? {
        if let index {
            guard let offset = index[key] else { return nil }
            return members[offset].keyPosition
        }
        for member in members where member.key == key { return member.keyPosition }
        return nil
    }

    func finish() -> Node.Object {
        Node.Object(members: members, index: index)
    }
}

/// The bounds of a document tree.
enum TreeLimits {
    /// How deep arrays and objects may nest.
    static let depth = 256
    /// How many nodes a document may have once its aliases are expanded.
    static let nodes = 4_000_000
    /// How many schemas a document may imply once its unions are combined.
    static let schemas = 500_000
    /// How many files a document may consist of, and how large they may be together.
    static let files = 20_000
    static let bytes = 268_435_456
    /// How deep files may hold one another.
    static let inclusions = 64
    /// How many references in a row may lead to a schema.
    static let references = 256
}
