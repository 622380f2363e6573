/// One value of a document, with its position. JSON and YAML result in the same tree.
///
/// Its accessors are not inlined. Why: inlining them at hundreds of call sites makes release builds slower.
final class Node: Sendable {
    /// The value of a node. Numbers are text, so that no precision is lost.
    enum Value: Sendable {
        case null
        case bool(Bool)
        /// A JSON number as text. Numbers in other YAML notations are converted to JSON notation.
        case number(String)
        case string(String)
        case array([Node])
        case object(Object)
    }

    /// The members of an object, in document order, each key once.
    struct Object: Sendable {
        struct Member: Sendable {
            let key: String
            let keyPosition: SourcePosition
            let value: Node
        }

        let members: [Member]
        /// Key → offset, only where a linear search would cost more.
        private let index: [ExactText: Int]?

        init(members: [Member], index: [ExactText: Int]? = nil) {
            self.members = members
            self.index = index
        }

        func member(_ key: String) -> Member? {
            if let index {
                guard let offset = index[key] else { return nil }
                return members[offset]
            }
            for member in members where member.key.isSame(as: key) { return member }
            return nil
        }
    }

    let value: Value
    let position: SourcePosition
    /// The text of a YAML scalar without quotes that is null, a boolean or a number. Nil for other values, and in JSON.
    let spelling: String?

    @inline(never)
    init(value: Value, position: SourcePosition, spelling: String? = nil) {
        self.value = value
        self.position = position
        self.spelling = spelling
    }

    /// The member `key`. Nil if it is missing or the node is not an object.
    @inline(never)
    subscript(key: String) -> Node? {
        guard case .object(let object) = value else { return nil }
        return object.member(key)?.value
    }

    @inline(never)
    var object: Object? {
        if case .object(let object) = value { return object }
        return nil
    }

    /// The members of an object; empty for any other node.
    @inline(never)
    var members: [Object.Member] {
        if case .object(let object) = value { return object.members }
        return []
    }

    @inline(never)
    var array: [Node]? {
        if case .array(let items) = value { return items }
        return nil
    }

    @inline(never)
    var string: String? {
        if case .string(let text) = value { return text }
        return nil
    }

    /// A string, or a number or boolean as written: names, ports and versions often have their form in YAML.
    @inline(never)
    var text: String? {
        switch value {
        case .string(let text): text
        case .number(let text): spelling ?? text
        case .bool(let flag): spelling ?? String(flag)
        case .null, .array, .object: nil
        }
    }

    @inline(never)
    var bool: Bool? {
        if case .bool(let flag) = value { return flag }
        return nil
    }

    var isNull: Bool {
        if case .null = value { return true }
        return false
    }

    /// The JSON type with its article, for diagnostics.
    @inline(never)
    var kind: String {
        switch value {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
