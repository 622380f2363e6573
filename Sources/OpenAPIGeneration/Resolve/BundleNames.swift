/// The names of components from other files: the last token of the pointer, or the file name. Collisions get a number,
/// in the order of files and pointers.
struct BundleNames {
    /// The place of each component in the document.
    private(set) var places = [Bundler.Hoist: JSONPointer]()
    /// The components to add to the document, in order.
    private(set) var added: [(hoist: Bundler.Hoist, name: String)] = []

    init(hoisted: [Bundler.Hoist], adopted: [Bundler.Hoist: String], files: FileSet, components: Node?) {
        for (hoist, name) in adopted {
            places[hoist] = JSONPointer(tokens: ["components", hoist.section, name])
        }
        let all = Set(hoisted).union(adopted.keys)
        let rest = hoisted.filter { adopted[$0] == nil }.map { hoist in
            (hoist: hoist, path: files[hoist.location.file].path, pointer: hoist.location.pointer.text)
        }.sorted {
            ($0.path, $0.pointer, $0.hoist.section) < ($1.path, $1.pointer, $1.hoist.section)
        }
        var scopes = [String: NameScope]()
        var inner: [(hoist: Bundler.Hoist, owner: Bundler.Hoist, steps: ArraySlice<String>)] = []
        for (hoist, path, _) in rest {
            guard hoist.location.file != 0 else {
                places[hoist] = hoist.location.pointer
                continue
            }
            if let (owner, steps) = Self.owner(of: hoist, among: all) {
                inner.append((hoist, owner, steps))
                continue
            }
            let taken = Set((components?[hoist.section]?.members ?? []).map(\.key))
            var scope = scopes[hoist.section] ?? NameScope(reserving: taken)
            let name = scope.claim(Self.name(hoist.location.pointer, path: path))
            scopes[hoist.section] = scope
            places[hoist] = JSONPointer(tokens: ["components", hoist.section, name])
            added.append((hoist, name))
        }
        for (hoist, owner, steps) in inner {
            places[hoist] = steps.reduce(places[owner] ?? .root) { $0.appending($1) }
        }
    }

    /// The outermost component that contains a schema only through schema keywords such as `properties` and `items`.
    private static func owner(
        of hoist: Bundler.Hoist, among all: Set<Bundler.Hoist>
    ) -> (Bundler.Hoist, ArraySlice<String>)? {
        guard hoist.section == "schemas" else { return nil }
        let tokens = hoist.location.pointer.tokens
        for depth in 0..<tokens.count {
            let location = FileLocation(
                file: hoist.location.file, pointer: JSONPointer(tokens: Array(tokens[..<depth])))
            let candidate = Bundler.Hoist(section: "schemas", location: location)
            if all.contains(candidate), isInside(tokens[depth...]) { return (candidate, tokens[depth...]) }
        }
        return nil
    }

    private static func isInside(_ steps: ArraySlice<String>) -> Bool {
        var steps = steps
        while let step = steps.popFirst() {
            switch step {
            case "properties": if steps.popFirst() == nil { return false }
            case "items", "additionalProperties": continue
            case "allOf", "oneOf", "anyOf":
                guard let index = steps.popFirst(), Int(index) != nil else { return false }
            default: return false
            }
        }
        return true
    }

    private static func name(_ pointer: JSONPointer, path: String) -> String {
        let structural: Set<String> = [
            "items", "schema", "additionalProperties", "allOf", "oneOf", "anyOf", "properties", "content",
        ]
        if let word = pointer.tokens.last(where: { !structural.contains($0) && Int($0) == nil }) {
            return word
        }
        var stem = path.split(separator: "/").last ?? ""
        for suffix in [".yaml", ".yml", ".json", ".schema", ".openapi"] where stem.hasSuffix(suffix) {
            stem = stem.dropLast(suffix.count)
        }
        return stem.isEmpty ? "value" : String(stem)
    }
}
