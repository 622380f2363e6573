// A literal is a value, `nil` is `null`: `Patch(nickname: "Rex", tags: ["small"], owner: nil)`.

extension Field: ExpressibleByNilLiteral {
    /// `null`, as for `JSONValue`.
    ///
    /// Why not absent: parameters of generated types are absent by default, so a written `nil` means more than that. Compare
    /// with ``absent``, ``null`` or ``orNil``, because `field == nil` is false for an absent member.
    public init(nilLiteral: ()) { self = .null }
}

extension Field: ExpressibleByUnicodeScalarLiteral where Value: ExpressibleByUnicodeScalarLiteral {
    /// A value.
    public init(unicodeScalarLiteral value: Value.UnicodeScalarLiteralType) {
        self = .value(Value(unicodeScalarLiteral: value))
    }
}

extension Field: ExpressibleByExtendedGraphemeClusterLiteral
where Value: ExpressibleByExtendedGraphemeClusterLiteral {
    /// A value.
    public init(extendedGraphemeClusterLiteral value: Value.ExtendedGraphemeClusterLiteralType) {
        self = .value(Value(extendedGraphemeClusterLiteral: value))
    }
}

extension Field: ExpressibleByStringLiteral where Value: ExpressibleByStringLiteral {
    /// A value.
    public init(stringLiteral value: Value.StringLiteralType) {
        self = .value(Value(stringLiteral: value))
    }
}

extension Field: ExpressibleByStringInterpolation where Value: ExpressibleByStringInterpolation {
    /// A value.
    public init(stringInterpolation: Value.StringInterpolation) {
        self = .value(Value(stringInterpolation: stringInterpolation))
    }
}

extension Field: ExpressibleByIntegerLiteral where Value: ExpressibleByIntegerLiteral {
    /// A value.
    public init(integerLiteral value: Value.IntegerLiteralType) {
        self = .value(Value(integerLiteral: value))
    }
}

extension Field: ExpressibleByFloatLiteral where Value: ExpressibleByFloatLiteral {
    /// A value.
    public init(floatLiteral value: Value.FloatLiteralType) {
        self = .value(Value(floatLiteral: value))
    }
}

extension Field: ExpressibleByBooleanLiteral where Value: ExpressibleByBooleanLiteral {
    /// A value.
    public init(booleanLiteral value: Value.BooleanLiteralType) {
        self = .value(Value(booleanLiteral: value))
    }
}

extension Field: ExpressibleByArrayLiteral
where
    Value: RangeReplaceableCollection & ExpressibleByArrayLiteral, Value.ArrayLiteralElement == Value.Element
{
    /// A value.
    public init(arrayLiteral elements: Value.Element...) { self = .value(Value(elements)) }
}

/// A value that is made from the members of a dictionary literal. Dictionaries conform.
public protocol DictionaryLiteralValue: ExpressibleByDictionaryLiteral {
    /// The value with these members. Of members with the same key, the last is used.
    init(literalMembers: [(Key, Value)])
}

extension Dictionary: DictionaryLiteralValue {
    /// A dictionary. Of members with the same key, the last is used.
    public init(literalMembers: [(Key, Value)]) {
        self.init(literalMembers) { _, last in last }
    }
}

extension Field: ExpressibleByDictionaryLiteral where Value: DictionaryLiteralValue {
    /// A value. Of members with the same key, the last is used.
    public init(dictionaryLiteral elements: (Value.Key, Value.Value)...) {
        self = .value(Value(literalMembers: elements))
    }
}
