/// A server of the document, of a path or of an operation.
struct APIServer {
    struct Variable {
        let name: String
        /// The allowed values, including the default. Empty if any value is allowed.
        let values: [String]
        /// Nil if the document does not define it.
        let fallback: String?
        let text: String?
    }

    /// The URL template, with variables in braces.
    let url: String
    let name: String?
    let text: String?
    /// The variables of the URL, in order.
    let variables: [Variable]
    let position: SourcePosition

    /// Whether the URL has a scheme and host, or a variable that may contain them.
    var isAbsolute: Bool {
        if url.utf8.first == UInt8(ascii: "{") { return !isRelativeVariable }
        let lower = url.lowercased()
        return lower.hasPrefix("https://") || lower.hasPrefix("http://")
    }

    /// Whether the URL begins with a variable whose default is a path.
    private var isRelativeVariable: Bool {
        guard let first = variables.first, url.hasPrefix("{\(first.name)}") else { return true }
        let rest = url.dropFirst(first.name.utf8.count + 2)
        return first.fallback?.contains("://") == false && !rest.hasPrefix("://")
    }

    /// The URL with its variables, without texts and positions. Servers with equal targets are the same server.
    struct Target: Equatable {
        struct Variable: Equatable {
            let name: ExactText
            let values: Set<ExactText>
            let fallback: ExactText?
        }

        let url: ExactText
        let variables: [Variable]
    }

    /// The values that identify the server in comparisons.
    var target: Target {
        Target(
            url: ExactText(url),
            variables: variables.map {
                .init(
                    name: ExactText($0.name), values: Set(texts: $0.values),
                    fallback: $0.fallback.map { ExactText($0) })
            })
    }
}
