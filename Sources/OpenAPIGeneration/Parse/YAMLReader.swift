internal import CLibyaml

/// A YAML reader over libyaml's events that keeps the position of each value.
///
/// It reads one document; anchors, aliases and merge keys are expanded within `TreeLimits.nodes`.
/// It is `@safe` because only `read` creates it, and the address of libyaml's parser is stable during that call.
@safe struct YAMLReader {
    /// Reads one document. The bytes are known to be UTF-8, without a byte order mark.
    static func read(_ bytes: [UInt8], file: UInt32 = 0, sink: DiagnosticSink) throws(Diagnostic) -> Node {
        var parser = unsafe yaml_parser_t()
        guard unsafe yaml_parser_initialize(&parser) != 0 else {
            throw .error(.yamlSyntax, "out of memory", at: nil)
        }
        defer { unsafe yaml_parser_delete(&parser) }
        let result = unsafe bytes.withUnsafeBufferPointer { buffer -> Result<Node, Diagnostic> in
            unsafe yaml_parser_set_input_string(&parser, buffer.baseAddress, buffer.count)
            unsafe yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
            return unsafe withUnsafeMutablePointer(to: &parser) { pointer in
                var reader = unsafe YAMLReader(parser: pointer, file: file, sink: sink)
                return Result { () throws(Diagnostic) in try reader.document() }
            }
        }
        return try result.get()
    }

    /// Valid only during the call of `read` that created this reader.
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let file: UInt32
    private let sink: DiagnosticSink
    private var anchors = [ExactText: Anchor]()
    private var nodeCount = 0

    private enum Anchor {
        /// The node is still being read; an alias to it would be its own ancestor.
        case open
        case finished(Node, nodes: Int)
    }

    private init(parser: UnsafeMutablePointer<yaml_parser_t>, file: UInt32, sink: DiagnosticSink) {
        unsafe self.parser = unsafe parser
        self.file = file
        self.sink = sink
    }

    private mutating func document() throws(Diagnostic) -> Node {
        var root: Node?
        while true {
            let event = try next()
            switch event.kind {
            case .streamStart, .documentEnd: continue
            case .documentStart:
                if root != nil {
                    throw .error(
                        .yamlSyntax, "only one YAML document per file is supported", at: event.position)
                }
            case .streamEnd:
                guard let root else {
                    throw .error(.yamlSyntax, "the document is empty", at: .start(of: file))
                }
                return root
            default:
                root = try node(event, depth: 0)
            }
        }
    }

    private mutating func next() throws(Diagnostic) -> YAMLEvent {
        var event = unsafe yaml_event_t()
        guard unsafe yaml_parser_parse(parser, &event) != 0 else { throw syntaxError() }
        defer { unsafe yaml_event_delete(&event) }
        return unsafe YAMLEvent(event, file: file)
    }

    private func syntaxError() -> Diagnostic {
        let mark = unsafe parser.pointee.problem_mark
        let problem = unsafe parser.pointee.problem.map { unsafe String(cString: $0) } ?? "invalid YAML"
        var notes: [Diagnostic.Note] = []
        if let context = unsafe parser.pointee.context.map({ unsafe String(cString: $0) }) {
            notes.append(
                .init(
                    message: context, position: SourcePosition(unsafe parser.pointee.context_mark, file: file)
                ))
        }
        return .error(.yamlSyntax, problem, at: SourcePosition(mark, file: file), notes: notes)
    }

    private mutating func count(_ nodes: Int, at position: SourcePosition) throws(Diagnostic) {
        nodeCount += nodes
        if nodeCount > TreeLimits.nodes {
            throw .error(.limit, "the document expands to more than \(TreeLimits.nodes) values", at: position)
        }
    }

    private mutating func node(_ event: YAMLEvent, depth: Int) throws(Diagnostic) -> Node {
        guard depth < TreeLimits.depth else {
            throw .error(.limit, "nested more than \(TreeLimits.depth) levels deep", at: event.position)
        }
        if case .alias(let name) = event.kind { return try alias(name, at: event.position) }
        try count(1, at: event.position)
        let before = nodeCount
        if let anchor = event.anchor { anchors[anchor] = .open }
        let value: Node.Value
        var spelling: String?
        switch event.kind {
        case .scalar(let text, let isPlain):
            value = scalar(text, isPlain: isPlain, event)
            if case .string = value {} else if event.tag == nil { spelling = text }
        case .sequenceStart:
            value = .array(try sequence(depth: depth))
        case .mappingStart:
            value = .object(try mapping(depth: depth))
        default:
            throw .error(.yamlSyntax, "expected a value", at: event.position)
        }
        let node = Node(value: value, position: event.position, spelling: spelling)
        if let anchor = event.anchor { anchors[anchor] = .finished(node, nodes: nodeCount - before + 1) }
        return node
    }

    private mutating func alias(_ name: String, at position: SourcePosition) throws(Diagnostic) -> Node {
        switch anchors[name] {
        case nil: throw .error(.yamlSyntax, "undefined alias *\(name)", at: position)
        case .open:
            throw .error(.yamlSyntax, "the alias *\(name) refers to a node that contains it", at: position)
        case .finished(let node, let nodes):
            try count(nodes, at: position)
            return node
        }
    }

    private func scalar(_ text: String, isPlain: Bool, _ event: YAMLEvent) -> Node.Value {
        guard let tag = event.tag else {
            return isPlain ? YAMLScalar.resolve(plain: text) : .string(text)
        }
        switch tag {
        case "!", "tag:yaml.org,2002:str": return .string(text)
        case "tag:yaml.org,2002:null", "tag:yaml.org,2002:bool", "tag:yaml.org,2002:int",
            "tag:yaml.org,2002:float":
            return YAMLScalar.resolve(plain: text)
        default:
            sink.warn(.yamlSyntax, "unknown tag \(tag) is ignored", at: event.position)
            return isPlain ? YAMLScalar.resolve(plain: text) : .string(text)
        }
    }

    private mutating func sequence(depth: Int) throws(Diagnostic) -> [Node] {
        var items: [Node] = []
        while true {
            let event = try next()
            if case .sequenceEnd = event.kind { return items }
            items.append(try node(event, depth: depth + 1))
        }
    }

    private mutating func mapping(depth: Int) throws(Diagnostic) -> Node.Object {
        var builder = ObjectBuilder()
        var merged: [Node] = []
        while true {
            let event = try next()
            if case .mappingEnd = event.kind { break }
            guard case .scalar(let key, let isPlain) = event.kind else {
                throw .error(.yamlSyntax, "a mapping key must be a scalar", at: event.position)
            }
            let value = try node(try next(), depth: depth + 1)
            if isPlain, key == "<<", event.tag == nil {
                try merge(value, into: &merged)
            } else if let earlier = builder.add(key, at: event.position, value) {
                throw .error(
                    .duplicateKey, "duplicate key \"\(key)\"", at: event.position,
                    notes: [.init(message: "first defined here", position: earlier)])
            }
            if let anchor = event.anchor {
                let node = Node(
                    value: isPlain ? YAMLScalar.resolve(plain: key) : .string(key), position: event.position)
                anchors[anchor] = .finished(node, nodes: 1)
            }
        }
        // The keys of the mapping take precedence over merged keys; an earlier merged mapping takes precedence over a
        // later one.
        for mapping in merged {
            for member in mapping.members where builder.position(of: member.key) == nil {
                _ = builder.add(member.key, at: member.keyPosition, member.value)
            }
        }
        return builder.finish()
    }

    private func merge(_ value: Node, into merged: inout [Node]) throws(Diagnostic) {
        let mappings = value.array ?? [value]
        for mapping in mappings {
            guard mapping.object != nil else {
                throw .error(.yamlSyntax, "the value of \"<<\" must be a mapping", at: mapping.position)
            }
            merged.append(mapping)
        }
    }
}
