extension JSONValue {
    private struct MemberKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Decodes any value.
    public init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: MemberKey.self) {
            var members: [String: JSONValue] = [:]
            for key in container.allKeys {
                members[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
            }
            self = .object(members)
        } else if var container = try? decoder.unkeyedContainer() {
            var elements: [JSONValue] = []
            while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
            self = .array(elements)
        } else {
            try self.init(from: decoder.singleValueContainer())
        }
    }

    private init(from container: any SingleValueDecodingContainer) throws {
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .number(JSONNumber(value))
        } else if let value = try? container.decode(UInt64.self) {
            self = .number(JSONNumber(value))
        } else if let value = try? container.decode(Double.self), value.isFinite {
            self = .number(JSONNumber(text: value.description))
        } else {
            self = .string(try container.decode(String.self))
        }
    }

    /// Encodes the value: integers as integers, other numbers as the nearest `Double`.
    public func encode(to encoder: any Encoder) throws {
        switch content {
        case .null, .bool, .number, .string:
            try encodeScalar(to: encoder)
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .object(let members):
            var container = encoder.container(keyedBy: MemberKey.self)
            for (name, value) in members { try container.encode(value, forKey: MemberKey(stringValue: name)) }
        }
    }

    private func encodeScalar(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch content {
        case .bool(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .number(let number):
            if let value = number.integer(Int64.self) {
                try container.encode(value)
            } else if let value = number.integer(UInt64.self) {
                try container.encode(value)
            } else {
                try container.encode(number.double)
            }
        case .null, .array, .object: try container.encodeNil()
        }
    }
}
