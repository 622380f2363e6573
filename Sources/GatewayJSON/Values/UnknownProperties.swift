internal import GatewayPatterns

/// The properties of an object that its document does not define, in the order in which they were received.
///
/// Generated models have them where the generator's configuration says `unknownProperties: keep`. They are encoded again
/// after the properties of the model. Values that were decoded are encoded unchanged, except for white space: with the
/// digits of their numbers and the order of their members.
///
/// Names are compared byte by byte. The order of the properties does not matter for equality.
public struct UnknownProperties: Sendable {
    struct Property: Sendable {
        let name: String
        /// Compact JSON. Empty if the value has no JSON notation.
        var json: [UInt8]
    }

    private(set) var properties: [Property] = []

    /// No properties.
    public init() {}

    init(_ properties: [Property]) { self.properties = properties }

    /// Whether there are none.
    public var isEmpty: Bool { properties.isEmpty }

    /// The names, in order.
    public var names: [String] { properties.map(\.name) }

    /// The value of a property, or `nil` if there is no property of this name.
    ///
    /// A new property becomes the last one. It must not have the name of a property of the model: encoding then throws
    /// `notRepresentable`.
    public subscript(name: String) -> JSONValue? {
        get { index(of: name).flatMap { Self.value(properties[$0]) } }
        set {
            guard let newValue else { return properties.removeAll { $0.name.isSame(as: name) } }
            let json = (try? newValue.jsonBytes()) ?? []
            if let index = index(of: name) {
                properties[index].json = json
            } else {
                properties.append(Property(name: name, json: json))
            }
        }
    }

    private func index(of name: String) -> Int? { properties.firstIndex { $0.name.isSame(as: name) } }

    private static func value(_ property: Property) -> JSONValue? {
        try? JSONValue(jsonBytes: property.json, limits: JSONLimits(depth: .max, bytes: .max, values: .max))
    }
}

extension UnknownProperties: Hashable {
    /// Whether both have the same names and equal values.
    public static func == (one: UnknownProperties, other: UnknownProperties) -> Bool {
        guard one.properties.count == other.properties.count else { return false }
        return zip(one.sorted, other.sorted).allSatisfy { one, other in
            one.name.isSame(as: other.name) && (one.json == other.json || value(one) == value(other))
        }
    }

    /// Hashes the names.
    public func hash(into hasher: inout Hasher) {
        for property in sorted { hasher.combine(property.name) }
    }

    private var sorted: [Property] {
        properties.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
}

extension UnknownProperties: ExpressibleByDictionaryLiteral {
    /// Properties in order. Of several with the same name, the last value counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        for (name, value) in elements { self[name] = value }
    }
}

extension UnknownProperties: CustomStringConvertible {
    /// The JSON object.
    public var description: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.unknown(self)
        writer.endObject()
        return writer.text
    }
}
