extension ParsedURL {
    /// Resolves a URL reference, such as the value of `Location`, against this URL (RFC 3986 §5.2, RFC 9110 §10.2.2).
    ///
    /// Invalid bytes that servers send without encoding (a space, a non-ASCII letter) are percent-encoded; control
    /// characters are rejected. A fragment is dropped.
    ///
    /// - Throws: ``NetworkError`` with code ``NetworkError/invalidURL``, also for schemes other than `http` and
    ///   `https`.
    public func resolving(_ reference: String) throws(NetworkError) -> ParsedURL {
        let reference = try Self.encoded(reference.trimmingHTTPWhitespace())
        if Self.hasScheme(reference) { return try ParsedURL(reference).withoutDotSegments() }
        if reference.hasPrefix("//") {
            return try ParsedURL("\(origin.scheme.rawValue):\(reference)").withoutDotSegments()
        }

        let relative = reference.prefix { $0 != "#" }
        let basePath = target.prefix { $0 != "?" }
        let baseQuery = target.dropFirst(basePath.count)
        let path = relative.prefix { $0 != "?" }
        let query = relative.dropFirst(path.count)
        let resolved: String
        if path.isEmpty {
            resolved = "\(basePath)\(query.isEmpty ? baseQuery : query)"
        } else if path.hasPrefix("/") {
            resolved = Self.removingDotSegments(String(path)) + query
        } else {
            let directory = basePath[...(basePath.lastIndex(of: "/") ?? basePath.startIndex)]
            resolved = Self.removingDotSegments("\(directory)\(path)") + query
        }
        guard HTTPSyntax.isOriginFormTarget(resolved.utf8) else { throw Self.unencoded }
        return ParsedURL(origin: origin, target: resolved)
    }

    /// Whether the text starts with a scheme and a colon (RFC 3986 §3.1).
    static func hasScheme(_ text: String) -> Bool {
        guard let first = text.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first | 0x20)
        else { return false }
        for byte in text.utf8 {
            if byte == UInt8(ascii: ":") { return true }
            guard byte.isAlphanumeric || "+-.".utf8.contains(byte) else { return false }
        }
        return false
    }

    private func withoutDotSegments() -> ParsedURL {
        let path = target.prefix { $0 != "?" }
        return ParsedURL(
            origin: origin, target: Self.removingDotSegments(String(path)) + target.dropFirst(path.count))
    }

    /// Removes dot segments (RFC 3986 §5.2.4). The path must start with a slash.
    private static func removingDotSegments(_ path: String) -> String {
        var output: [Substring] = []
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case ".":
                if isLast { output.append("") }
            case "..":
                _ = output.popLast()
                if isLast { output.append("") }
            default: output.append(segment)
            }
        }
        return "/" + output.joined(separator: "/")
    }

    private static func encoded(_ text: String) throws(NetworkError) -> String {
        guard HTTPSyntax.isFieldValue(text.utf8), !text.utf8.contains(0x09) else {
            throw NetworkError(.invalidURL, "The URL has a control character.")
        }
        return String(percentEncoding: Array(text.utf8)) { $0 > 0x20 && $0 < 0x7F }
    }
}
