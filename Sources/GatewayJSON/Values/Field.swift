/// A member that can be absent, `null` or a value. In a patch, an absent member keeps the value of the resource, and
/// `null` clears it.
///
/// A literal of the value is the field with that value, and `nil` is ``null``.
public enum Field<Value> {
    /// The member is absent.
    case absent
    /// The member is `null`.
    case null
    /// The member has a value.
    case value(Value)

    /// The value; nil when it is absent or `null`.
    public var orNil: Value? {
        guard case .value(let value) = self else { return nil }
        return value
    }

    /// The field with its value transformed.
    public func map<Other, Failure: Error>(
        _ transform: (Value) throws(Failure) -> Other
    ) throws(Failure) -> Field<Other> {
        switch self {
        case .absent: .absent
        case .null: .null
        case .value(let value): .value(try transform(value))
        }
    }
}

extension Field: Sendable where Value: Sendable {}
extension Field: Equatable where Value: Equatable {}
extension Field: Hashable where Value: Hashable {}
