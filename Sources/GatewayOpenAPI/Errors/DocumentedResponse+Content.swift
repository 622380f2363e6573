internal import GatewayCore

extension DocumentedResponse {
    /// The line of documented media types to which the `Content-Type` belongs.
    ///
    /// The most specific media type decides: with the same parameters, the same type, another JSON type, a type such as
    /// `image/*`, `*/*`; of equal ones the first.
    ///
    /// - Parameter groups: one line for each way to read the body: its media types, separated by tabs.
    /// - Returns: The number of the line, from 0. 0 if the `Content-Type` is missing or not documented.
    @_spi(Generated) public func content(of groups: StaticString) -> Int {
        guard case .line(let field) = fields.occurrence(of: .contentType) else { return 0 }
        let own = MediaTypeParts(field.value)
        var best = (group: 0, rank: 0)
        for (group, line) in "\(groups)".split(separator: "\n").enumerated() {
            for type in line.split(separator: "\t") {
                let rank = MediaTypeParts(type).rank(of: own)
                if rank > best.rank { best = (group, rank) }
            }
        }
        return best.group
    }
}

/// A media type, without spaces and quotes (RFC 9110, section 8.3.1).
private struct MediaTypeParts {
    /// In lower case.
    let essence: Substring
    let parameters: [Substring]

    init(_ text: some StringProtocol) {
        let plain = text.lowercased().filter { $0 != " " && $0 != "\t" && $0 != "\"" }
        let parts = plain.split(separator: ";")
        essence = parts.first ?? ""
        parameters = Array(parts.dropFirst())
    }

    private var isJSON: Bool {
        essence == "application/json" || essence == "text/json" || essence.hasSuffix("+json")
    }

    /// How specifically this documented media type describes one that was received; 0 if it does not.
    func rank(of received: MediaTypeParts) -> Int {
        if essence == received.essence {
            let isExact = !parameters.isEmpty && parameters.allSatisfy { received.parameters.contains($0) }
            return isExact ? 5 : 4
        }
        if isJSON && received.isJSON { return 3 }
        if essence == "*/*" { return 1 }
        return essence.hasSuffix("/*") && received.essence.hasPrefix(essence.dropLast()) ? 2 : 0
    }
}
