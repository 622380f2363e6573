extension Node.Object {
    /// An object of members with unique keys. Large objects get an index.
    init(indexing members: [Member]) {
        guard members.count >= ObjectBuilder.indexedFrom else {
            self.init(members: members)
            return
        }
        var index = [ExactText: Int]()
        for (offset, member) in members.enumerated() { index[member.key] = offset }
        self.init(members: members, index: index)
    }
}

extension Node {
    /// Whether an object in the node has such a member. Data is searched, too.
    func hasMember(where condition: (Object.Member) -> Bool) -> Bool {
        switch value {
        case .object(let object):
            for member in object.members
            where condition(member) || member.value.isCollection && member.value.hasMember(where: condition) {
                return true
            }
        case .array(let items):
            for item in items where item.isCollection && item.hasMember(where: condition) { return true }
        default: break
        }
        return false
    }

    /// An object that is not in the document.
    convenience init(_ members: [(key: String, value: Node)], at position: SourcePosition) {
        let members = members.map {
            Object.Member(key: $0.key, keyPosition: $0.value.position, value: $0.value)
        }
        self.init(value: .object(Object(indexing: members)), position: position)
    }

    /// The object with other values of its members. Any other node is unchanged.
    @inline(never)
    func mapValues(_ value: (Object.Member) -> Node) -> Node {
        guard let object else { return self }
        let members = object.members.map {
            Object.Member(key: $0.key, keyPosition: $0.keyPosition, value: value($0))
        }
        return Node(value: .object(Object(indexing: members)), position: position)
    }

    /// The object with some of its members. Any other node becomes an empty object.
    func filter(_ isKept: (Object.Member) -> Bool) -> Node {
        Node(value: .object(Object(indexing: members.filter(isKept))), position: position)
    }

    /// The object with one member replaced, or appended if it is missing.
    func setting(_ key: String, to value: Node, keyPosition: SourcePosition? = nil) -> Node {
        var members = members
        if let offset = members.firstIndex(where: { $0.key.isSame(as: key) }) {
            members[offset] = Object.Member(
                key: key, keyPosition: keyPosition ?? members[offset].keyPosition, value: value)
        } else {
            members.append(Object.Member(key: key, keyPosition: keyPosition ?? value.position, value: value))
        }
        return Node(value: .object(Object(indexing: members)), position: position)
    }

    /// The object without a member.
    @inline(never)
    func removing(_ key: String) -> Node {
        guard self[key] != nil else { return self }
        return filter { !$0.key.isSame(as: key) }
    }
}
