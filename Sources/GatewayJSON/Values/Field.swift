/// A member of which it matters whether it is absent or `null`: in a patch, absent leaves a value as it is and
/// `null` clears it.
public enum Field<Value> {
    /// The member is not there.
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

    /// The field with another value in the place of the value.
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
