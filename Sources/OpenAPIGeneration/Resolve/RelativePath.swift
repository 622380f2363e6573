/// Resolves references against their base: paths below the document's folder, and URIs (RFC 3986, section 5.2).
enum RelativePath {
    /// `reference` relative to the file `base`. Nil if it leaves the folder.
    static func resolve(_ reference: String, from base: String) -> String? {
        guard reference.utf8.first != UInt8(ascii: "/") else { return nil }
        var parts = base.split(separator: "/").dropLast().map { String($0) }
        for part in reference.split(separator: "/") {
            switch part {
            case ".": continue
            case "..":
                guard parts.popLast() != nil else { return nil }
            default: parts.append(String(part))
            }
        }
        return parts.joined(separator: "/")
    }

    /// The scheme of an absolute URI, in lower case; nil for a relative reference.
    static func scheme(of reference: String) -> String? {
        guard let colon = reference.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = reference[..<colon].lowercased()
        guard let first = scheme.utf8.first, first >= UInt8(ascii: "a"), first <= UInt8(ascii: "z"),
            scheme.utf8.allSatisfy({
                ($0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z"))
                    || ($0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9"))
                    || [UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: ".")].contains($0)
            })
        else { return nil }
        return scheme
    }

    /// `reference` against a base that is an absolute URI, an absolute path or a path below the folder; nil if it leaves
    /// the folder.
    static func resolve(_ reference: String, against base: String) -> String? {
        guard scheme(of: reference) == nil else { return reference }
        guard let scheme = scheme(of: base) else {
            if reference.hasPrefix("//") { return reference }
            if reference.hasPrefix("/") {
                return resolve(String(reference.dropFirst()), from: "").map { "/" + $0 }
            }
            let path = resolve(reference, from: base)
            return base.hasPrefix("/") ? path.map { "/" + $0 } : path
        }
        let rest = base.dropFirst(scheme.count + 1)
        guard rest.hasPrefix("//") else { return reference }
        let authority = rest.dropFirst(2).prefix { $0 != "/" }
        let root = base.prefix(scheme.count + 1) + "//" + authority
        if reference.hasPrefix("//") { return scheme + ":" + reference }
        let path = String(rest.dropFirst(2 + authority.count).dropFirst())
        let wanted =
            reference.hasPrefix("/")
            ? resolve(String(reference.dropFirst()), from: "") : resolve(reference, from: path)
        return wanted.map { root + "/" + $0 }
    }
}
