import GatewayCore
import GatewayDigest

/// The request fields that select among the stored responses of a key (RFC 9111 §4.1).
struct RequestSelection: Sendable {
    /// The names of fields with credentials, in addition to those that are recognized by name.
    private let additional: [HTTPField.Name]

    init(additional: [HTTPField.Name] = []) {
        // Each call has its own key, so no call would use the responses of others.
        self.additional = additional.filter { $0 != .idempotencyKey }
    }

    /// Whether fields with the name contain credentials. They are part of the partition, and never stored
    /// with a response.
    private func isCredential(_ name: HTTPField.Name) -> Bool {
        name.namesCredential || !additional.isEmpty && additional.contains(name)
    }

    /// The credential fields that a request has.
    func credentials(of fields: HTTPFields) -> HTTPFields {
        var found = HTTPFields()
        for field in fields where isCredential(field.name) { found.append(field) }
        return found
    }

    /// The fields of a request that `Vary` names, normalized.
    func selecting(_ facts: ResponseFacts, of fields: HTTPFields) -> HTTPFields {
        var selecting = HTTPFields()
        guard case .fields(let names) = facts.selection else { return selecting }
        for name in names where !isCredential(name) {
            if let value = fields[name] { selecting.append(name, Self.normalized(value, of: name)) }
        }
        return selecting
    }

    /// Whether a request selects a stored response.
    func selects(_ head: CachedHead, _ fields: HTTPFields) -> Bool {
        guard case .fields(let names) = head.facts.selection else { return false }
        for name in names {
            let (stored, sent) = (head.selecting[name], fields[name])
            // Cheaper than classifying the name, and most requests have few of these fields.
            if stored == nil, sent == nil { continue }
            guard isCredential(name) || stored == sent.map({ Self.normalized($0, of: name) }) else {
                return false
            }
        }
        return true
    }

    /// The normalized value of a field, equal for values with the same meaning: without white space around
    /// commas; for `Accept` and similar fields without the order of members; for languages, charsets and
    /// codings without case. For other fields, a digest of it.
    private static func normalized(_ value: String, of name: HTTPField.Name) -> String {
        let isPlain = !value.utf8.contains { $0 == 0x2C || $0 == 0x20 || $0 == 0x09 }
        if isPlain, name == .accept { return value }
        let members = FieldList.members(of: value)
        switch name {
        case "Accept-Language", "Accept-Encoding", "Accept-Charset":
            return members.map { $0.lowercased().filter { $0 != " " && $0 != "\t" } }.sorted()
                .joined(separator: ",")
        case .accept: return members.sorted().joined(separator: ",")
        // The value may be a secret, and the store may be a file.
        default: return Base64.encode(SHA256.digest(members.joined(separator: ",").utf8))
        }
    }
}
