/// The layout of generated files.
package enum FileLayout: String, CaseIterable, Sendable {
    /// A fixed set of files whose names depend only on the client's name, for build tools.
    case buckets
    /// One file per tag and per schema, for reading.
    case names
}

extension FileRenderer {
    /// `Operations/<Tag>.swift` and `Schemas/<Name>.swift`, in addition to the client and its failures.
    ///
    /// Base names are unique, ignoring case: Swift modules and some file systems require it.
    func namedFiles(sharesModule: Bool) -> [GeneratedFile] {
        let names = GeneratedFile.names(namespace: prefix)
        var scope = FileNameScope(prefix: sharesModule ? prefix + "." : "")
        var result = [client(names.client), failures(names.failures)]
        scope.reserve(prefix + "Client")
        scope.reserve(prefix + "Failures")
        if !model.events.isEmpty {
            result.append(webhooks(names.webhooks))
            scope.reserve(prefix + "Webhooks")
        }
        for (place, types) in components {
            let own = types.first { $0 == place } ?? types.first
            let name = own.flatMap { model.names[$0]?.name } ?? "Schema"
            let path = "Schemas/" + scope.claim(name, else: name + "Schema") + ".swift"
            result.append(schemas(path, types))
        }
        for group in Set(model.operations.map { $0.group ?? "" }).sorted() {
            let wanted = group.isEmpty ? "Untagged" : group
            let path = "Operations/" + scope.claim(wanted, else: wanted + "Operations") + ".swift"
            result.append(operations(path, model.operations.filter { ($0.group ?? "") == group }))
        }
        return result
    }
}

/// Base names of files in one module. They are identifiers, so a name cannot point outside its folder.
private struct FileNameScope {
    private let prefix: String
    private var taken = Set<String>()
    /// Maximum length for most file systems, with room for a number and the extension.
    private static let limit = 200

    init(prefix: String) {
        self.prefix = prefix
    }

    mutating func reserve(_ name: String) { taken.insert(name.lowercased()) }

    /// `name`; if it is already used, `other`, `other2` and so on.
    mutating func claim(_ name: String, else other: String) -> String {
        let (name, other) = (short(prefix + name), short(prefix + other))
        if taken.insert(name.lowercased()).inserted { return name }
        if taken.insert(other.lowercased()).inserted { return other }
        var number = 2
        while !taken.insert(other.lowercased() + String(number)).inserted { number += 1 }
        return other + String(number)
    }

    private func short(_ name: String) -> String {
        guard name.utf8.count > Self.limit else { return name }
        var result = ""
        for character in name {
            guard result.utf8.count + character.utf8.count <= Self.limit - 20 else { break }
            result.append(character)
        }
        return result + "_" + String(StableHash.hash(name), radix: 16)
    }
}
