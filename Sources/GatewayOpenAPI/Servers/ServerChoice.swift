public import GatewayCore
internal import GatewayPatterns

/// The server of a client: one of the document's servers with the values of its variables, or a custom one.
@_spi(Generated) public struct ServerChoice: Sendable {
    /// The name in the document; `nil` for a custom server.
    let name: String?
    /// The base URL.
    public let url: String
    /// The values of the variables, by name.
    let variables: [ExactText: String]
    /// Whether the server is also used for operations that define their own servers.
    let isForAll: Bool

    /// Creates a custom server.
    public init(url: String, everywhere: Bool = true) {
        name = nil
        self.url = url
        variables = [:]
        isForAll = everywhere
    }

    /// Creates a custom server for all operations; without a URL, the other one.
    public init(_ base: ParsedURL?, or other: ServerChoice) {
        guard let base else {
            self = other
            return
        }
        self.init(url: base.origin.description + base.target)
    }

    /// Creates a server of the document.
    ///
    /// - Parameters:
    ///   - name: the name of the server.
    ///   - template: the URL, with variables in braces.
    ///   - variables: names and values of the variables, alternating.
    ///   - origin: scheme, host and port for a URL without them.
    public init(
        _ name: StaticString, _ template: StaticString, _ variables: [String] = [], origin: String? = nil
    ) {
        var values: [ExactText: String] = [:]
        for index in stride(from: 0, to: variables.count - 1, by: 2) {
            values[ExactText(variables[index])] = variables[index + 1]
        }
        self.name = "\(name)"
        self.variables = values
        isForAll = false
        let path = ServerTemplate("\(template)").expanded { values[ExactText($0)] }
        guard var origin else {
            url = path
            return
        }
        while origin.utf8.last == UInt8(ascii: "/") { origin.removeLast() }
        url = origin + (path.utf8.first == UInt8(ascii: "/") ? "" : "/") + path
    }
}

/// A server that is defined for one operation or for the operations of one path.
struct OwnServer: Sendable {
    let name: StaticString
    let template: StaticString
    /// One line for each variable, with fields separated by tabs: name, default, allowed values. Without allowed values
    /// any value is allowed.
    let defaults: StaticString

    /// The base URL of the operation when the client's server is `choice`. A variable gets the value of the client's
    /// variable with the same name if it is allowed here, otherwise its default.
    func base(at choice: ServerChoice, _ client: ServerBase?) throws(NetworkError) -> ServerBase {
        var values = choice.variables
        for line in "\(defaults)".split(separator: "\n") {
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0) }
            guard parts.count > 1 else { continue }
            let name = ExactText(parts[0])
            let isAllowed =
                values[name].map { value in
                    parts.count == 2 || parts[2...].contains { $0.isSame(as: value) }
                } ?? false
            if !isAllowed { values[name] = parts[1] }
        }
        let url = ServerTemplate("\(template)").expanded { values[ExactText($0)] }
        guard !url.contains("://"), let client else { return try ServerBase(url) }
        // Relative to the client's server (RFC 3986, section 5.2).
        let root = ParsedURL(origin: client.origin, target: client.path + "/")
        return try ServerBase(root.resolving(url))
    }
}
