internal import GatewayCore

/// The server of a client: one of the document's, with the values of its variables, or a custom one.
@_spi(Generated) public struct ServerChoice: Sendable {
    /// Its name in the document; `nil` for a custom server.
    let name: String?
    /// The base URL.
    public let url: String
    /// The variables' values, by name.
    let variables: [String: String]
    /// Whether operations that define their own servers use this one, too.
    let isForAll: Bool

    /// A custom server.
    public init(url: String, everywhere: Bool = true) {
        name = nil
        self.url = url
        variables = [:]
        isForAll = everywhere
    }

    /// A server of the document.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - template: Its URL, with variables in braces.
    ///   - variables: Name, value, name, value.
    ///   - origin: Scheme, host and port for a URL without them.
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

/// A server that only one operation, or the operations of one path, use.
struct OwnServer: Sendable {
    let name: StaticString
    let template: StaticString
    /// A line for each variable, separated by tabs: its name, its default, and its allowed values. Without these, any value
    /// is allowed.
    let defaults: StaticString

    /// The base URL of the operation when the client's server is `choice`. A variable has the value of the client's
    /// variable with the same name if this server allows it, otherwise its default.
    func base(at choice: ServerChoice, _ client: ServerBase?) throws(NetworkError) -> ServerBase {
        var values: [String: String] = choice.variables
        for line in "\(defaults)".split(separator: "\n") {
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0) }
            guard parts.count > 1 else { continue }
            let isAllowed = values[parts[0]].map { parts.count == 2 || parts[2...].contains($0) } ?? false
            if !isAllowed { values[parts[0]] = parts[1] }
        }
        let url = ServerTemplate("\(template)").expanded { values[$0] }
        guard !url.contains("://"), let client else { return try ServerBase(url) }
        // Relative to the client's server (RFC 3986, section 5.2).
        let root = ParsedURL(origin: client.origin, target: client.path + "/")
        return try ServerBase(root.resolving(url))
    }
}
