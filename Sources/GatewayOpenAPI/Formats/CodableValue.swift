internal import FoundationEssentials
public import GatewayJSON

/// A value of a `Codable` type that does not conform to `JSONCodable`, as the configuration of a generated client names
/// it: `types: { '#/components/schemas/Money': { type: Payments.Money, coding: codable } }`.
///
/// ```swift
/// order.total.amount            // a member of Payments.Money
/// order.total = CodableValue(Payments.Money(amount: 12, currency: "EUR"))
/// ```
///
/// It is decoded and encoded by the type's own `Codable` conformance. A `Date` in it is a `date-time` string, `Data` is a
/// Base64 string, and numbers keep all digits that the type holds. This takes longer than a `JSONCodable` conformance,
/// which needs no second representation.
@dynamicMemberLookup
public struct CodableValue<Value: Codable & Sendable>: Sendable {
    /// The value.
    public var value: Value

    /// Wraps a value.
    public init(_ value: Value) { self.value = value }

    /// A member of the value.
    public subscript<Member>(dynamicMember path: KeyPath<Value, Member>) -> Member { value[keyPath: path] }

    /// A member of the value.
    public subscript<Member>(dynamicMember path: WritableKeyPath<Value, Member>) -> Member {
        get { value[keyPath: path] }
        set { value[keyPath: path] = newValue }
    }
}

extension CodableValue: Equatable where Value: Equatable {}
extension CodableValue: Hashable where Value: Hashable {}

extension CodableValue: JSONDecodable, JSONEncodable {
    /// Decodes a value by its `Decodable` conformance.
    ///
    /// - Throws: `wrongFormat` if the type cannot be decoded; the error has none of the received values.
    public init(json: JSONElement) throws(JSONError) {
        let bytes = try JSONValue(json: json).jsonBytes()
        do {
            value = try Self.decoder.decode(Value.self, from: Data(bytes))
        } catch {
            throw json.wrongFormat("a value of the configured Codable type")
        }
    }

    /// Encodes the value by its `Encodable` conformance. A value that it cannot encode fails the call before any I/O.
    public func write(to writer: inout JSONWriter) {
        guard let json else { return writer.fail("the value of a Codable type cannot be encoded") }
        json.write(to: &writer)
    }

    private var json: JSONValue? {
        guard let data = try? Self.encoder.encode(value) else { return nil }
        return try? JSONValue(jsonBytes: Array(data))
    }

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            guard let date = Date(rfc3339: try container.decode(String.self)) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "a date-time is expected")
            }
            return date
        }
        return decoder
    }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            guard let text = date.rfc3339 else {
                throw EncodingError.invalidValue(
                    date, .init(codingPath: encoder.codingPath, debugDescription: "the date has no text"))
            }
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
        return encoder
    }
}

extension CodableValue: ParameterValue {
    /// The text of a value that is encoded as a string, a number or a boolean.
    public var parameterText: String { scalar ?? "" }

    /// Whether the value is encoded as a string, a number or a boolean.
    public var hasParameterText: Bool { scalar != nil }

    private var scalar: String? {
        switch json?.content {
        case .string(let text)?: text
        case .number(let number)?: number.text
        case .bool(let flag)?: flag.parameterText
        case .null?, .array?, .object?, nil: nil
        }
    }

    /// Decodes text as a string, otherwise as a number or a boolean; `nil` if the type can be decoded from neither.
    public init?(parameterText: String) {
        if let own = try? Self(jsonValue: .string(parameterText)) {
            self = own
        } else if let number = JSONNumber(parameterText), let own = try? Self(jsonValue: .number(number)) {
            self = own
        } else if let flag = Bool(parameterText), let own = try? Self(jsonValue: .bool(flag)) {
            self = own
        } else {
            return nil
        }
    }

    private init(jsonValue: JSONValue) throws(JSONError) {
        try self.init(jsonBytes: jsonValue.jsonBytes())
    }
}
