/// Which component schemas extend which by `allOf`: where a schema has a `discriminator` and no `oneOf` or `anyOf`, its
/// branches are the schemas that extend it (OpenAPI 3.1, 4.8.25, "Models with Polymorphism Support").
struct Inheritance {
    /// By name: the schemas that name it in `allOf`, in the order of their names.
    private var extensions = [ExactText: [String]]()
    private var bases = Set<ExactText>()

    init(root: Node) {
        for schema in (root["components"]?["schemas"]?.members ?? []).sorted(by: { $0.key < $1.key }) {
            for node in Self.own(schema.value) {
                if node["discriminator"] != nil, node["oneOf"] == nil, node["anyOf"] == nil {
                    _ = bases.insert(schema.key)
                }
                for member in node["allOf"]?.array ?? [] {
                    if let name = member["$ref"]?.string.flatMap({ Self.component(named: $0) }) {
                        extensions[name, default: []].append(schema.key)
                    }
                }
            }
        }
    }

    /// A schema and the members of its `allOf` that are not references.
    private static func own(_ schema: Node) -> [Node] {
        let members = (schema["allOf"]?.array ?? []).filter { $0["$ref"] == nil }
        return [schema] + members.flatMap { own($0) }
    }

    /// The component that a reference names, if it names one.
    private static func component(named reference: String) -> String? {
        guard reference.utf8.first == UInt8(ascii: "#") else { return nil }
        return PercentCoding.decoded(reference).flatMap { component(at: $0) }
    }

    private static func component(at pointer: String) -> String? {
        let prefix = "#/components/schemas/"
        guard pointer.hasPrefix(prefix) else { return nil }
        let name = pointer.utf8.dropFirst(prefix.utf8.count)
        return name.contains(UInt8(ascii: "/")) ? nil : JSONPointer.unescaped(name)
    }

    /// The schemas that extend a base, directly or indirectly.
    func branches(of base: String) -> [String] {
        guard bases.contains(base) else { return [] }
        var found = Set<ExactText>()
        var open = [base]
        while let next = open.popLast() {
            for name in extensions[next] ?? [] where !name.isSame(as: base) && found.insert(name) {
                open.append(name)
            }
        }
        return found.texts
    }

    func branches(of pointer: JSONPointer) -> [String] {
        Self.component(at: pointer.text).map { branches(of: $0) } ?? []
    }

    /// Whether a schema is a branch of a base.
    func isBranch(_ pointer: JSONPointer, of base: JSONPointer) -> Bool {
        Self.component(at: pointer.text).map { name in branches(of: base).contains { $0.isSame(as: name) } }
            ?? false
    }
}
