public import GatewayCore
public import GatewayJSON

extension HTTPFields {
    /// The value of a documented header field that contains JSON; `nil` if it is missing or cannot be decoded as the
    /// type.
    @_spi(Generated) public func documentedJSON<Value: JSONDecodable>(
        _ name: StaticString, _ type: Value.Type
    ) -> Value? {
        self[HTTPField.Name("\(name)")].flatMap { try? Value(jsonBytes: Array($0.utf8)) }
    }

    /// The value of a documented header field that contains an object in style `simple` (OpenAPI 3.2, Style Values):
    /// `a,1,b,2`, or exploded `a=1,b=2`. `nil` if it is missing or cannot be decoded as the type.
    ///
    /// - Parameter literals: names of the members that are numbers or booleans, one per line; `*` for all.
    @_spi(Generated) public func documentedObject<Value: JSONDecodable>(
        _ name: StaticString, _ type: Value.Type, _ literals: StaticString, isExploded: Bool = false
    ) -> Value? {
        guard let text = self[HTTPField.Name("\(name)")] else { return nil }
        let literals = "\(literals)".split(separator: "\n")
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map {
            String($0).trimmingHTTPWhitespace()[...]
        }
        var members: [String: JSONValue] = [:]
        func add(_ key: Substring, _ text: Substring) -> Bool {
            let isText = !literals.contains { $0 == "*" || $0.utf8.elementsEqual(key.utf8) }
            guard let value = isText ? .string(String(text)) : Self.literal(text) else { return false }
            return members.updateValue(value, forKey: String(key)) == nil
        }
        if isExploded {
            for part in parts {
                let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard pair.count == 2, add(pair[0], pair[1]) else { return nil }
            }
        } else {
            guard parts.count.isMultiple(of: 2) else { return nil }
            for index in stride(from: 0, to: parts.count, by: 2) {
                guard add(parts[index], parts[index + 1]) else { return nil }
            }
        }
        guard let bytes = try? JSONValue.object(members).jsonBytes() else { return nil }
        return try? Value(jsonBytes: bytes)
    }

    private static func literal(_ text: Substring) -> JSONValue? {
        switch text {
        case "true": .bool(true)
        case "false": .bool(false)
        default: JSONNumber(String(text)).map { .number($0) }
        }
    }
}
