import CommandArguments
import GatewayClient

/// What `gateway call` was asked for.
struct CallArguments {
    /// What to send.
    enum Content {
        case none
        case text(String)
        case file(String)
        case standardInput
    }

    let method: HTTPMethod
    let url: String
    let content: Content
    /// Fields from the command line.
    let fields: HTTPFields
    let fieldFile: String?
    let includesHead: Bool
    let output: String?
    /// The file whose content is used if the service is unavailable.
    let fallbackFile: String?
    let isVerbose: Bool
    /// Whether the decisions of the layers are printed.
    let explains: Bool
    /// The number of retries, if it is given.
    let retries: Int?
    let options: CallOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        guard let method = arguments.positional.first else { throw arguments.error("no method was given") }
        guard arguments.positional.count > 1 else {
            throw arguments.error(
                method.contains("/")
                    ? "no method was given: gateway call GET \(method)" : "no URL was given")
        }
        // Methods are told apart by case (RFC 9110 §9.1), and nobody means these.
        guard !Commands.call.words.contains(method.uppercased()) || method == method.uppercased() else {
            throw arguments.error("the method must be in upper case: \(method.uppercased())")
        }
        self.method = HTTPMethod(method)
        url = arguments.positional[1]
        guard !arguments.has("--data") || !arguments.has("--data-file") else {
            throw arguments.error("--data and --data-file cannot be combined")
        }
        content =
            if let text = arguments.value("--data") {
                .text(text)
            } else if let path = arguments.value("--data-file") {
                path == "-" ? .standardInput : .file(path)
            } else {
                .none
            }
        var fields = HTTPFields()
        for text in arguments.all("--header") {
            guard let field = Self.field(text) else {
                throw arguments.error("--header must be \"Name: value\"")
            }
            guard !field.name.namesCredential else {
                throw arguments.error(
                    "\(field.name) is not accepted on the command line, which every process can read: "
                        + "put it into a file and use --header-file")
            }
            fields.append(field)
        }
        self.fields = fields
        fieldFile = arguments.value("--header-file")
        includesHead = arguments.has("--include")
        output = arguments.value("--output")
        fallbackFile = arguments.value("--fallback-file")
        isVerbose = arguments.has("--verbose")
        explains = arguments.has("--explain")
        retries = try arguments.number("--retries", in: 0...100)
        options = try Self.options(arguments)
    }

    private static func options(_ arguments: ParsedArguments) throws(UsageError) -> CallOptions {
        var options = CallOptions(idempotencyKey: arguments.value("--idempotency-key"))
        options.deadline = try arguments.duration("--timeout")
        if let text = arguments.value("--cache") {
            guard let mode = CacheMode(name: text) else {
                throw arguments.error(
                    "--cache must be default, no-store, reload, no-cache, force-cache, only-if-cached or network-first"
                )
            }
            options.cache = mode
        }
        return options
    }

    /// A field from a line.
    static func field(_ line: String) -> HTTPField? {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let value = String(line[line.index(after: colon)...]).trimmingHTTPWhitespace()
        let field = HTTPField(HTTPField.Name(String(line[..<colon])), value)
        return field.isValid ? field : nil
    }
}
