/// A line of code while it is written, with the places where it can be broken.
struct Line {
    /// What surrounds parts that commas divide, or a statement.
    enum Bracket {
        case round, square, angle, block
        /// `case a, b:`.
        case label

        fileprivate var ends: (open: String, close: String) {
            switch self {
            case .round: ("(", ")")
            case .square: ("[", "]")
            case .angle: ("<", ">")
            case .block: ("{ ", " }")
            case .label: ("case ", ":")
            }
        }
    }

    struct Group {
        let kind: Bracket
        /// The offsets of its brackets, and of the commas directly inside.
        let open: Int
        var close = Int.max
        var commas: [Int] = []
    }

    enum Mark: String, SwiftNode {
        case colon = ": "
        case equals = " = "

        func write(to line: inout Line) {
            if line.isMarked { line.marks.append((self, line.end + (self == .equals ? 1 : 0))) }
            line.text += rawValue
        }
    }

    fileprivate(set) var text = ""
    /// The qualifier of the client's type names, with its dot; empty for none.
    let namespace: String
    /// In the order in which they are opened.
    private(set) var groups: [Group] = []
    private(set) var marks: [(mark: Mark, place: Int)] = []
    private(set) var literals: [(range: Range<Int>, text: String)] = []
    /// The modules of the types in it.
    private(set) var modules = Set<String>()
    private var openGroups: [Int] = []
    /// Most lines fit, and are written without places.
    private let isMarked: Bool

    init(namespace: String, isMarked: Bool = false) {
        self.namespace = namespace
        self.isMarked = isMarked
    }

    private var end: Int { text.utf8.count }

    /// Removes the text, for another line. The modules remain.
    mutating func clear() { text.removeAll(keepingCapacity: true) }

    mutating func add(_ nodes: any SwiftNode...) {
        for node in nodes { node.write(to: &self) }
    }

    mutating func imported(_ module: String) { modules.insert(module) }

    mutating func literal(_ value: String) {
        let start = end
        text += SwiftText.literal(value)
        if isMarked { literals.append((start..<end, value)) }
    }

    mutating func add(_ bracket: Bracket, _ nodes: [some SwiftNode]) {
        if isMarked {
            openGroups.append(groups.count)
            groups.append(Group(kind: bracket, open: end))
        }
        text += bracket.ends.open
        for (offset, node) in nodes.enumerated() {
            if offset > 0 {
                if let last = openGroups.last { groups[last].commas.append(end) }
                text += ", "
            }
            node.write(to: &self)
        }
        text += bracket.ends.close
        if let last = openGroups.popLast() { groups[last].close = end - 1 }
    }
}

extension String: SwiftNode {
    func write(to line: inout Line) { line.text += self }
}
