internal import GatewayJSON

extension JSONElement {
    /// The value of a string in a format.
    ///
    /// - Parameter expected: the expected format, for the error message.
    func formatted<Value: ParameterValue>(_ expected: StaticString) throws(JSONError) -> Value {
        guard let value = Value(parameterText: try string()) else { throw wrongFormat(expected) }
        return value
    }
}
