extension NetworkError {
    /// Validates a setting.
    ///
    /// - Parameters:
    ///   - isValid: whether the value is allowed.
    ///   - property: the property as written in code: `retry.maximumAttempts`.
    ///   - rule: the allowed values: `must be 1 or more`.
    /// - Throws: ``NetworkError`` with the code ``misconfigured``. The message contains the property, not its value.
    package static func require(
        _ isValid: Bool, _ property: String, _ rule: String
    ) throws(NetworkError) {
        guard isValid else {
            throw NetworkError(.misconfigured, "Invalid setting '\(property)': \(rule).")
        }
    }

    /// A copy of the error for a setting inside of another property.
    ///
    /// - Parameter property: the outer property, such as `retry`.
    package func within(_ property: String) -> NetworkError {
        let start = "Invalid setting '"
        guard code == .misconfigured, message.hasPrefix(start) else { return self }
        return NetworkError(.misconfigured, "\(start)\(property).\(message.dropFirst(start.count))")
    }
}
