import GatewayClient

/// What can be said of a token without giving it away.
struct TokenDescription {
    /// The token read; `nil` for one that is opaque.
    private let token: JSONWebToken?
    /// How long it is still good; `nil` where nobody knows, negative where it has ended.
    private let secondsLeft: Int64?

    /// Reads a token.
    ///
    /// - Parameter lifetime: how long it lives as its issuer told, for one that does not say so itself.
    init(_ token: Secret, lifetime: Duration?) {
        let token = try? JSONWebToken(decoding: token)
        self.token = token
        let left = token?.expiration.map { $0 - SystemClock().unixTime }
        secondsLeft = (left ?? (token == nil ? lifetime : nil))?.components.seconds
    }

    /// For people.
    var text: String {
        guard let token else {
            return "The token is opaque: it has no claims that can be read.\n" + timeLeft + "\n"
        }
        return Self.section("header", token.header) + Self.section("claims", token.claims) + timeLeft + "\n"
    }

    /// For machines: `header`, `claims` and `seconds_left`, each `null` where it is not known.
    func json() throws -> String {
        let value: JSONValue = .object([
            "header": token.map { .object($0.header) } ?? .null,
            "claims": token.map { .object($0.claims) } ?? .null,
            "seconds_left": secondsLeft.map { .number(JSONNumber(Int($0))) } ?? .null,
        ])
        return Console.escapingJSON(String(decoding: try value.jsonBytes(), as: UTF8.self))
    }

    private var timeLeft: String {
        guard let secondsLeft else { return "time left: unknown" }
        return secondsLeft > 0
            ? "time left: \(Timeline.text(.seconds(secondsLeft)))"
            : "ended \(Timeline.text(.seconds(-secondsLeft))) ago"
    }

    private static func section(_ title: String, _ members: [String: JSONValue]) -> String {
        let width = members.keys.map(\.count).max() ?? 0
        var text = title + "\n"
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            let bytes = (try? value.jsonBytes()) ?? []
            var line = "  " + name + String(repeating: " ", count: width - name.count)
            line += "  " + Console.escapingJSON(String(decoding: bytes, as: UTF8.self))
            if ["exp", "nbf", "iat", "auth_time"].contains(name), let seconds = value.double,
                let date = CalendarDate.text(seconds)
            {
                line += "  (\(date))"
            }
            text += Console.printable(line) + "\n"
        }
        return text
    }
}
