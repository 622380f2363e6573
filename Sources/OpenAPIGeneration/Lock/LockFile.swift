/// `openapi.lock`: the Swift names of the types, methods, arguments, properties, cases and groups of documents, by JSON
/// Pointer. With it, additions to a document never rename existing declarations. JSON, one name per line.
package struct LockFile: Sendable {
    /// By file name of the document, then by pointer.
    private var documents = [String: [ExactText: String]]()

    /// The name of the file, which is next to the documents.
    package static let name = "openapi.lock"

    /// A lock without names.
    package init() {}

    /// Reads a lock.
    ///
    /// - Throws: A diagnostic if the file is not a valid lock.
    package init(_ bytes: [UInt8]) throws(Diagnostic) {
        try self.init(bytes, file: 0)
    }

    init(_ bytes: [UInt8], file: UInt32) throws(Diagnostic) {
        let root = try JSONReader.read(bytes, file: file)
        guard let version = root["version"], case .number("1") = version.value else {
            throw .error(
                .lock, "unsupported lock version; delete the file and generate again", at: root.position)
        }
        guard let entries = root["documents"]?.object else {
            throw .error(.lock, "missing key \"documents\"", at: root.position)
        }
        for document in entries.members {
            var names = [ExactText: String]()
            for member in document.value.members {
                guard member.value.object != nil, NameLock.isGrouped(member.key) else {
                    names[member.key] = try Self.name(member.value, of: member.key)
                    continue
                }
                for inner in member.value.members {
                    let place = member.key + "/" + inner.key
                    names[place] = try Self.name(inner.value, of: place)
                }
            }
            documents[document.key] = names
        }
    }

    private static func name(_ node: Node, of place: String) throws(Diagnostic) -> String {
        let name = node.string ?? ""
        let isMethod = NameLock.isMember(place)
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ SwiftName.isSettled(String($0), isMethod: isMethod) }) else {
            throw .error(.lock, "the name of \"\(place)\" is not a valid Swift name", at: node.position)
        }
        return name
    }

    /// The names of a document.
    func names(of document: String) -> [ExactText: String] { documents[document] ?? [:] }

    /// Replaces the names of a document.
    package mutating func set(_ names: [ExactText: String], of document: String) {
        documents[document] = names
    }

    /// Pointers and their values as JSON: a name, or the properties or cases of a type on one line.
    private static func lines(of names: [ExactText: String]) -> [(key: String, value: String)] {
        var result: [(key: String, value: String)] = []
        var groups = [ExactText: [(key: String, value: String)]]()
        for (place, name) in names.map({ ($0.key.text, $0.value) }) {
            if NameLock.isGrouped(place), let slash = place.lastIndex(of: "/") {
                groups[String(place[..<slash]), default: []].append(
                    (JSONText.quoted(String(place[place.index(after: slash)...])), JSONText.quoted(name)))
            } else {
                result.append((place, JSONText.quoted(name)))
            }
        }
        for (place, members) in groups {
            let texts = members.sorted { ExactText($0.key) < ExactText($1.key) }.map {
                $0.key + ": " + $0.value
            }
            result.append((place.text, "{" + texts.joined(separator: ", ") + "}"))
        }
        return result.sorted { ExactText($0.key) < ExactText($1.key) }
    }

    /// The content of the file. Deterministic.
    package var text: String {
        var result = "{\n  \"version\": 1,\n  \"documents\": {"
        for (offset, document) in documents.sorted(by: { $0.key < $1.key }).enumerated() {
            result += (offset > 0 ? "," : "") + "\n    " + JSONText.quoted(document.key) + ": {"
            for (offset, entry) in Self.lines(of: document.value).enumerated() {
                result +=
                    (offset > 0 ? "," : "") + "\n      " + JSONText.quoted(entry.key) + ": " + entry.value
            }
            result += document.value.isEmpty ? "}" : "\n    }"
        }
        return result + (documents.isEmpty ? "}" : "\n  }") + "\n}\n"
    }
}
