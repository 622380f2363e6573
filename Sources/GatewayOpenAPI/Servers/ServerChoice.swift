internal import GatewayCore

/// The server that a client was given: one of the document's, with the values of its variables, or any other.
@_spi(Generated) public struct ServerChoice: Sendable {
    /// Its name in the document; `nil` for a server that the document does not name.
    let name: String?
    /// The base URL.
    public let url: String
    /// The variables' values, by name.
    let variables: [String: String]
    /// Whether operations that have a server of their own go here too.
    let isForAll: Bool

    /// A server of the user's own.
    public init(url: String, everywhere: Bool = true) {
        name = nil
        self.url = url
        variables = [:]
        isForAll = everywhere
    }

    /// A server of the document.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - template: its URL, with variables in braces.
    ///   - variables: name, value, name, value.
    ///   - origin: scheme, host and port for a URL that has none.
    public init(
        _ name: StaticString, _ template: StaticString, _ variables: [String] = [], origin: String? = nil
    ) {
        var values: [String: String] = [:]
        for index in stride(from: 0, to: variables.count - 1, by: 2) {
            values[variables[index]] = variables[index + 1]
        }
        self.name = "\(name)"
        self.variables = values
        isForAll = false
        let path = ServerTemplate("\(template)").expanded { values[$0] }
        guard var origin else {
            url = path
            return
        }
        while origin.utf8.last == UInt8(ascii: "/") { origin.removeLast() }
        url = origin + (path.utf8.first == UInt8(ascii: "/") ? "" : "/") + path
    }
}

/// The server that an operation has to itself.
struct OwnServer: Sendable {
    let name: StaticString
    let template: StaticString
    /// A line for each variable: its name, a tab, and its default.
    let defaults: StaticString

    /// Where the operation goes when the client is at `choice`: its variables are those of the client's server where
    /// they have the same name.
    func base(at choice: ServerChoice, _ client: ServerBase?) throws(NetworkError) -> ServerBase {
        var values: [String: String] = [:]
        for line in "\(defaults)".split(separator: "\n") {
            guard let tab = line.firstIndex(of: "\t") else { continue }
            values[String(line[..<tab])] = String(line[line.index(after: tab)...])
        }
        let url = ServerTemplate("\(template)").expanded { choice.variables[$0] ?? values[$0] }
        guard !url.contains("://"), let client else { return try ServerBase(url) }
        // Relative to the client's server (RFC 3986, section 5.2).
        let root = try ParsedURL(client.origin.description + client.path + "/")
        let resolved = try root.resolving(url)
        return try ServerBase(resolved.origin.description + resolved.target)
    }
}
