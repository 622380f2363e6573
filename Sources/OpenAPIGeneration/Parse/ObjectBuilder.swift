/// Collects the members of one object and detects duplicate keys.
///
/// Small objects are searched linearly. From `indexedFrom` members on, a dictionary is used, so that huge objects do
/// not take quadratic time.
struct ObjectBuilder {
    static let indexedFrom = 12

    private var members: [Node.Object.Member] = []
    private var index: [ExactText: Int]?

    /// Adds a member, or returns the place of the earlier one with the same key.
    mutating func add(_ key: String, at keyPosition: SourcePosition, _ value: Node) -> SourcePosition? {
        if let earlier = position(of: key) { return earlier }
        index?[key] = members.count
        members.append(Node.Object.Member(key: key, keyPosition: keyPosition, value: value))
        if index == nil, members.count >= Self.indexedFrom {
            var index = [ExactText: Int]()
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
        for member in members where member.key.isSame(as: key) { return member.keyPosition }
        return nil
    }

    func finish() -> Node.Object {
        Node.Object(members: members, index: index)
    }
}
