/// A JSONPath query (RFC 9535). Supported: names, wildcards, indices, descendants, and filters by existence and
/// comparison. The parser rejects slices and functions.
struct JSONPath {
    indirect enum Filter {
        case exists(Query)
        case compare(Operand, String, Operand)
        case not(Filter)
        case and(Filter, Filter)
        case or(Filter, Filter)
    }

    /// A query inside a filter.
    struct Query {
        /// Whether it starts at the current node (`@`) instead of the document (`$`).
        let isRelative: Bool
        let segments: [Segment]
    }

    enum Operand {
        case literal(Node.Value)
        case query(Query)
    }

    enum Selector {
        case name(String)
        case index(Int)
        case wildcard
        case filter(Filter)
    }

    struct Segment {
        let isDescendant: Bool
        let selectors: [Selector]
    }

    /// One step to a node.
    enum Step: Hashable {
        case key(String)
        case index(Int)
    }

    /// A node and its path.
    struct Match {
        let steps: [Step]
        let node: Node
    }

    let segments: [Segment]

    init(_ text: String) throws(JSONPathError) {
        var parser = JSONPathParser(text)
        segments = try parser.path()
    }

    /// The selected nodes, in document order.
    func matches(in root: Node) -> [Match] {
        Self.select(segments, from: [Match(steps: [], node: root)], root: root)
    }

    private static func select(_ segments: [Segment], from start: [Match], root: Node) -> [Match] {
        var current = start
        for segment in segments {
            var next: [Match] = []
            var seen = Set<[Step]>()
            for match in current {
                let origins = segment.isDescendant ? descendants(match) : [match]
                for origin in origins {
                    for selector in segment.selectors {
                        for found in children(origin, selector, root: root)
                        where seen.insert(found.steps).inserted { next.append(found) }
                    }
                }
            }
            current = next
        }
        return current
    }

    private static func descendants(_ match: Match) -> [Match] {
        all(match).reduce(into: [match]) { $0 += descendants($1) }
    }

    private static func all(_ match: Match) -> [Match] {
        match.node.members.map { Match(steps: match.steps + [.key($0.key)], node: $0.value) }
            + (match.node.array ?? []).enumerated().map {
                Match(steps: match.steps + [.index($0.offset)], node: $0.element)
            }
    }

    private static func children(_ match: Match, _ selector: Selector, root: Node) -> [Match] {
        switch selector {
        case .name(let name):
            return match.node[name].map { [Match(steps: match.steps + [.key(name)], node: $0)] } ?? []
        case .index(let index):
            guard let items = match.node.array else { return [] }
            let offset = index < 0 ? items.count + index : index
            guard items.indices.contains(offset) else { return [] }
            return [Match(steps: match.steps + [.index(offset)], node: items[offset])]
        case .wildcard: return all(match)
        case .filter(let filter): return all(match).filter { holds(filter, for: $0.node, root: root) }
        }
    }

    private static func holds(_ filter: Filter, for node: Node, root: Node) -> Bool {
        switch filter {
        case .exists(let query): return !evaluate(query, node, root).isEmpty
        case .not(let inner): return !holds(inner, for: node, root: root)
        case .and(let first, let second):
            return holds(first, for: node, root: root) && holds(second, for: node, root: root)
        case .or(let first, let second):
            return holds(first, for: node, root: root) || holds(second, for: node, root: root)
        case .compare(let left, let comparison, let right):
            return compare(value(left, node, root), comparison, value(right, node, root))
        }
    }

    private static func evaluate(_ query: Query, _ node: Node, _ root: Node) -> [Match] {
        select(query.segments, from: [Match(steps: [], node: query.isRelative ? node : root)], root: root)
    }

    /// The value of an operand. Nil: no value.
    private static func value(_ operand: Operand, _ node: Node, _ root: Node) -> Node.Value? {
        switch operand {
        case .literal(let value): value
        case .query(let query): evaluate(query, node, root).first?.node.value
        }
    }

    private static func compare(_ left: Node.Value?, _ comparison: String, _ right: Node.Value?) -> Bool {
        switch comparison {
        case "==": return Node.areEqual(left, right)
        case "!=": return !Node.areEqual(left, right)
        case "<=": return isLess(left, right) || Node.areEqual(left, right)
        case ">=": return isLess(right, left) || Node.areEqual(left, right)
        case "<": return isLess(left, right)
        default: return isLess(right, left)
        }
    }

    private static func isLess(_ left: Node.Value?, _ right: Node.Value?) -> Bool {
        switch (left, right) {
        case (.string(let first)?, .string(let second)?): return first < second
        case (.number(let first)?, .number(let second)?):
            guard let first = Double(first), let second = Double(second) else { return false }
            return first < second
        default: return false
        }
    }
}

/// A syntax error, or an unsupported feature, in a query.
struct JSONPathError: Error {
    let message: String
}
