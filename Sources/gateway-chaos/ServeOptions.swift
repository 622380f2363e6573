/// The command line of `gateway-chaos serve`.
struct ServeOptions {
    /// The port of the server.
    var target: UInt16 = 0
    /// The port that clients connect to; 0 for any free one.
    var port: UInt16 = 0
    /// The path of the control socket; `nil` for none.
    var control: String?
    var seed: UInt64 = 1
    var connections = 4096
    var settings = Settings()
    /// Whether the proxy ends with its standard input.
    var endsWithInput = false

    init(_ arguments: [Substring]) throws(UsageError) {
        var rest = arguments[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("--") else {
                try settings.apply([word])
                continue
            }
            if word == "--until-eof" {
                endsWithInput = true
                continue
            }
            guard let value = rest.popFirst() else {
                throw UsageError("'\(word)' is unknown or has no value")
            }
            switch word {
            case "--to": target = UInt16(try Quantity.count(value, "--to", 1...65_535))
            case "--port": port = UInt16(try Quantity.count(value, "--port", 0...65_535))
            case "--control": control = String(value)
            case "--seed": seed = try Quantity.count(value, "--seed", 0...UInt64.max)
            case "--connections": connections = Int(try Quantity.count(value, "--connections", 1...100_000))
            default: throw UsageError("unknown option '\(word)'")
            }
        }
        guard target > 0 else { throw UsageError("'--to PORT' is required: the port of the server") }
    }
}
