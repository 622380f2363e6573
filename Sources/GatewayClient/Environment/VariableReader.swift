import GatewayAuth
import GatewayCore
import GatewaySuggestions

/// Reads variables and notes what is wrong with them.
struct VariableReader {
    typealias Variable = VariableName

    private let values: [String: String]
    private(set) var problems: [GatewayEnvironmentError.Problem] = []
    /// The hosts that credentials may be sent to over plain HTTP, once they were read.
    var plainHTTP = PlainHTTPHosts.none
    /// Whether the URLs of an authorization server require a client.
    var requiresClient = true

    init(_ values: [String: String]) { self.values = values.filter { !$0.value.isEmpty } }

    func isSet(_ variable: Variable) -> Bool { values[variable.description] != nil }

    /// The names of all variables with a value.
    var names: Set<String> { Set(values.keys) }

    mutating func note(
        _ code: GatewayEnvironmentError.Code, _ variable: String, _ message: String
    ) {
        let problem = GatewayEnvironmentError.Problem(code: code, variable: variable, message: message)
        if !problems.contains(problem) { problems.append(problem) }
    }

    mutating func note(
        _ code: GatewayEnvironmentError.Code, _ variable: Variable, _ message: String
    ) {
        note(code, variable.description, message)
    }

    // MARK: Values

    /// A value as it is.
    func text(_ variable: Variable) -> String? { values[variable.description] }

    /// A value as something else; `nil` where there is none, or where it is noted as a wrong one.
    mutating func value<Value>(_ variable: Variable, _ parse: (String) -> Value?) -> Value? {
        guard let text = text(variable) else { return nil }
        guard let value = parse(text) else {
            note(.invalidValue, variable, "\(variable.expected) is expected")
            return nil
        }
        return value
    }

    /// Words with spaces or commas between them; empty where there are none.
    func words(_ variable: Variable, commas: Bool = false) -> [String] {
        (text(variable) ?? "").split { $0.isWhitespace || commas && $0 == "," }.map(String.init)
    }

    /// A time of more than zero and up to a day.
    mutating func duration(_ variable: Variable) -> Duration? { value(variable, DurationText.parse) }

    /// One of several words.
    mutating func choice<Value>(_ variable: Variable, _ choices: [String: Value]) -> Value? {
        value(variable) { choices[$0] }
    }

    /// One of several presets; `nil` for `none`, and without a variable.
    mutating func preset<Value>(_ variable: Variable, _ presets: [String: Value]) -> Value? {
        value(variable) { text -> Value?? in
            text == "none" ? .some(nil) : presets[text].map { .some($0) }
        }.flatMap { $0 }
    }

    /// The URL that relative URLs begin with.
    mutating func baseURL() -> ParsedURL? {
        guard let text = text(.baseURL) else { return nil }
        guard let url = try? ParsedURL(text), !url.target.contains("?") else {
            note(
                .invalidValue, .baseURL,
                "\(Variable.baseURL.expected) is expected\(Self.missingScheme(text))")
            return nil
        }
        return url
    }

    /// What to say in addition about a text that is no URL.
    static func missingScheme(_ text: String) -> String {
        text.contains("://") ? "" : "; the value has no scheme: write https:// before it"
    }

    // MARK: Files

    /// A secret from the one variable, or from the file that the other names.
    mutating func secret(_ variable: Variable, file fileVariable: Variable) -> Secret? {
        if isSet(variable), isSet(fileVariable) {
            note(
                .conflict, variable, "\(fileVariable) is set as well: remove one of them, preferably this one"
            )
            return nil
        }
        if let text = text(variable) {
            guard Self.isLine(text.utf8) else {
                note(.invalidValue, variable, "\(variable.expected) is expected, and no control characters")
                return nil
            }
            return Secret(text)
        }
        guard let path = text(fileVariable) else { return nil }
        do {
            let secret = try SecretFile.read(path)
            guard Self.isLine(secret.exposed.utf8) else {
                note(
                    .unreadableFile, fileVariable, "the file has more than one line, or control characters")
                return nil
            }
            return secret
        } catch {
            note(.unreadableFile, fileVariable, error.reason + Self.named(path))
            return nil
        }
    }

    /// The path of a file that is there and may be read.
    mutating func file(_ variable: Variable) -> String? {
        guard let path = text(variable) else { return nil }
        guard SecretFile.isReadable(path) else {
            note(.unreadableFile, variable, "the file cannot be read" + Self.named(path))
            return nil
        }
        return path
    }

    /// The path, where it is one for sure: it begins with a folder that exists. Other values may be a secret that was
    /// set in place of its file's path.
    private static func named(_ path: String) -> String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 2, parts[0].isEmpty, !parts[1].isEmpty, SecretFile.isReadable("/\(parts[1])/")
        else { return "" }
        return " (\(SecretFile.shown(path)))"
    }

    private static func isLine(_ bytes: String.UTF8View) -> Bool {
        bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    // MARK: Names

    /// Notes a variable that is set and of no use.
    mutating func refuse(_ variables: [Variable], _ reason: String) {
        for variable in variables where isSet(variable) { note(.conflict, variable, reason) }
    }

    /// The variables that the products GatewayTelemetry and GatewayOfflineQueue read.
    private static let namesOfOthers = [
        "GATEWAY_LOG", "GATEWAY_LOG_SAMPLING", "GATEWAY_LOG_LINES_PER_SECOND",
        "GATEWAY_LOG_REQUEST_ID_FIELDS",
        "GATEWAY_QUEUE_FILE", "GATEWAY_QUEUE_CONCURRENCY",
        "GATEWAY_QUEUE_COUNT", "GATEWAY_QUEUE_BYTES", "GATEWAY_QUEUE_POLICY",
    ]

    /// Looks for names that begin as ours do and are none of ours: those that are nearly one are noted as wrong.
    ///
    /// - Returns: the others.
    mutating func checkNames() -> [String] {
        let known = Variable.allCases.map(\.description) + Self.namesOfOthers
        var others: [String] = []
        for name in values.keys.sorted()
        where name.hasPrefix("GATEWAY_") && !known.contains(name) && !ServiceLink.isOne(name) {
            if let near = Suggestion.nearest(to: name, of: known, limit: { _ in 2 }) {
                note(.unknownVariable, name, "unknown variable: did you mean \(near)?")
            } else {
                others.append(name)
            }
        }
        return others
    }
}

/// What Kubernetes sets in every container for a service whose name begins with `gateway`.
private enum ServiceLink {
    static func isOne(_ name: String) -> Bool {
        let words = name.split(separator: "_")
        if words.last == "PORT" || words.suffix(2) == ["SERVICE", "HOST"] { return true }
        for index in words.indices.dropLast() where words[index] == "PORT" {
            // …_PORT_443_TCP, …_PORT_443_TCP_ADDR, …_SERVICE_PORT_HTTPS
            if words[index + 1].allSatisfy(\.isNumber) { return true }
            if index > 0, words[index - 1] == "SERVICE" { return true }
        }
        return false
    }
}
