/// Derives the name of a type from its place: from the nearest enclosing declared type, otherwise from its component or
/// operation.
struct NameRoots {
    private var operations = [ExactText: (operation: Operation, name: String)]()

    /// The words and the subject of each event's body, by the place of the event.
    private var events = [ExactText: (name: String, subject: String)]()

    init(operations: [Operation], events: [EventSet], identifiers: OperationIdentifiers) {
        for operation in operations {
            let name = identifiers[operation]
            self.operations[operation.source.text] = (operation, name)
        }
        for set in events {
            for event in set.events where self.events[event.source.text] == nil {
                let name =
                    set.operation.map { identifiers[$0] + " " + event.name + " Callback" } ?? event.name
                    + " Webhook"
                let kind = set.operation == nil ? "webhook" : "callback"
                self.events[event.source.text] = (name, "The body of the \(kind) `\(event.name)`.")
            }
        }
    }

    func place(of pointer: JSONPointer, declarations: [JSONPointer: Declaration]) -> NamePlace {
        let tokens = pointer.tokens
        var depth = tokens.count
        while depth > 0 {
            let prefix = JSONPointer(tokens: Array(tokens[..<depth]))
            if depth < tokens.count, let owner = declarations[prefix], owner.holdsTypes {
                var words = NameWords()
                words.read(tokens[depth...])
                if words.isVariant, let title = declarations[pointer]?.annotations.title {
                    words.name = title
                }
                if words.name.isEmpty { words.name = "Value" }
                // The number of tokens orders owners before nested types.
                return NamePlace(
                    owner: prefix, name: words.name, subject: words.subject, home: pointer,
                    rank: 2 + tokens.count)
            }
            if let root = root(prefix, tokens, depth) { return root }
            depth -= 1
        }
        return NamePlace(owner: nil, name: tokens.last ?? "Value", subject: "", home: pointer, rank: 1)
    }

    private func root(_ prefix: JSONPointer, _ tokens: [String], _ depth: Int) -> NamePlace? {
        let rest = tokens[depth...]
        if tokens[0] == "components", depth == 3 {
            var words = NameWords(name: tokens[2], subject: "The schema `\(tokens[2])`.")
            switch tokens[1] {
            case "schemas": words.read(rest)
            case "parameters": words.name += " Parameter"
            case "responses": words.name += " Response"
            case "requestBodies":
                words.name += " Body"
                if let (part, header) = partHeader(rest) { words.name += " \(part) \(header)" }
            case "headers": words.name += " Header"
            default: break
            }
            if tokens[1] != "schemas" { words.readSchema(rest) }
            let isOwn = tokens[1] == "schemas" && words.isPlain
            return NamePlace(
                owner: nil, name: words.name,
                subject: isOwn || words.subject.isEmpty ? "The schema `\(tokens[2])`." : words.subject,
                home: prefix, rank: isOwn ? 0 : 1)
        }
        if let (name, subject) = events[prefix.text] {
            var words = NameWords(name: name, subject: subject)
            words.readSchema(rest)
            return NamePlace(
                owner: nil, name: words.name, subject: words.subject, home: EventSet.home, rank: 1)
        }
        guard let (operation, name) = operations[prefix.text] else {
            guard tokens[0] == "paths", depth == 2 else { return nil }
            var words = NameWords(name: tokens[1], subject: "")
            if rest.first == "parameters" { words.name += " Parameter " + (rest.dropFirst().first ?? "") }
            words.readSchema(rest)
            return NamePlace(
                owner: nil, name: words.name, subject: "A schema of `\(tokens[1])`.",
                home: pointer(prefix, rest), rank: 1)
        }
        var words = NameWords(name: name, subject: "")
        var what = ""
        switch rest.first {
        case "requestBody":
            let type = rest.dropFirst(2).first
            let other = operation.body?.alternatives.first { $0.mediaType == type }
            words.name += other.map { " " + $0.label } ?? ""
            words.name += " Body"
            what = other.map { "The body in `\($0.mediaType)`" } ?? "The body"
            if let (part, header) = partHeader(rest.dropFirst()) {
                words.name += " \(part) \(header)"
                what = "The header `\(header)` of the part `\(part)`"
            }
        case "responses":
            let status = rest.dropFirst().first ?? ""
            let several = operation.responses.filter { !$0.values.isEmpty }.count > 1
            let other = other(rest, in: operation.responses)
            if rest.dropFirst(2).first == "headers", let header = rest.dropFirst(3).first {
                words.name += " " + header
                what = "The header `\(header)`"
            } else {
                words.name += " Response" + (several ? SwiftName.capitalised(status) : "")
                words.name += other.map { " " + $0.label } ?? ""
                what = "The response \(status)" + (other.map { " in `\($0.mediaType)`" } ?? "")
            }
        case "parameters":
            let index = rest.dropFirst().first.flatMap { Int($0) } ?? 0
            let parameter = operation.parameters.first { candidate in
                candidate.place?.text
                    == JSONPointer(tokens: tokens[..<depth] + ["parameters", String(index)]).text
            }
            words.name += " " + (parameter?.name ?? "Parameter")
            what = "The parameter `\(parameter?.name ?? "")`"
        default: break
        }
        words.readSchema(rest)
        let subject = what + " of `\(operation.name)`."
        return NamePlace(owner: nil, name: words.name, subject: subject, home: operation.pointer, rank: 1)
    }

    /// The names in the steps `content/type/encoding/part/headers/header` of a body.
    private func partHeader(_ rest: ArraySlice<String>) -> (part: String, header: String)? {
        let steps = Array(rest.prefix(6))
        guard steps.count == 6, steps[2] == "encoding", steps[4] == "headers" else { return nil }
        return (steps[3], steps[5])
    }

    /// The body of a response in another media type than the preferred one, by the steps `responses/200/content/type`.
    private func other(_ rest: ArraySlice<String>, in responses: [Response]) -> MediaContent? {
        let steps = Array(rest.prefix(4))
        guard steps.count == 4, steps[2] == "content" else { return nil }
        let response = responses.first { $0.status.text.lowercased() == steps[1].lowercased() }
        return response?.values.dropFirst().first { $0.mediaType == steps[3] }
    }

    private func pointer(_ prefix: JSONPointer, _ rest: ArraySlice<String>) -> JSONPointer {
        rest.reduce(prefix) { $0.appending($1) }
    }
}

/// The name that results from the steps inside a schema.
private struct NameWords {
    var name = ""
    var subject = ""
    /// Whether no step added a word.
    private(set) var isPlain = true

    init(name: String = "", subject: String = "") {
        self.name = name
        self.subject = subject
    }

    /// Reads the steps after the token `schema`.
    mutating func readSchema(_ tokens: ArraySlice<String>) {
        guard let start = tokens.firstIndex(of: "schema") else { return }
        read(tokens[(start + 1)...])
    }

    mutating func read(_ tokens: ArraySlice<String>) {
        var index = tokens.startIndex
        func next() -> String? { index + 1 < tokens.endIndex ? tokens[index + 1] : nil }
        while index < tokens.endIndex {
            switch tokens[index] {
            case "properties":
                if let property = next() {
                    add(property, subject: "The schema of `\(property)`.")
                    index += 1
                }
            case "items", "unevaluatedItems": add("Item", subject: possessive + " items.")
            case "prefixItems":
                if let position = next() {
                    add("Item" + position, subject: "The element \(position).")
                    index += 1
                }
            case "additionalProperties", "unevaluatedProperties":
                add("Value", subject: possessive + " values.")
            case "patternProperties":
                add("Value", subject: possessive + " values.")
                index += 1
            case "oneOf", "anyOf", "type":
                if let which = next() {
                    if let number = UInt32(which) {
                        variant = Int(number) + 1
                    } else {
                        add(which, subject: "The values that are a JSON \(which).")
                    }
                    index += 1
                }
            case "$defs", "definitions":
                if let which = next() {
                    add(which, subject: "The schema `\(which)`.")
                    index += 1
                }
            case "allOf":
                // `allOf/0` adds nothing; `allOf/properties/x` is a synthetic schema.
                if let which = next(), Int(which) != nil { index += 1 }
            default: break
            }
            index += 1
        }
        if name.isEmpty, let variant {
            name = "Variant\(variant)"
            isVariant = true
        }
        if subject.isEmpty, let variant { subject = "Variant \(variant)." }
    }

    private var variant: Int?
    /// Whether the name is only the number of a branch.
    private(set) var isVariant = false

    /// The current subject, as the owner of the following names.
    private var possessive: String {
        guard subject.hasSuffix("`.") else { return "Its" }
        return subject.dropLast() + (subject.hasSuffix("s`.") ? "'" : "'s")
    }

    private mutating func add(_ word: String, subject: String) {
        name += name.isEmpty ? word : " " + word
        self.subject = subject
        isPlain = false
    }
}

extension Declaration {
    /// Whether other types can be declared inside.
    fileprivate var holdsTypes: Bool {
        switch kind {
        case .object, .tuple, .union: true
        case .enumeration, .opaque: false
        }
    }
}
