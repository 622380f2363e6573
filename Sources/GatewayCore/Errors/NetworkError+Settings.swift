extension NetworkError {
    /// Checks a setting.
    ///
    /// - Parameters:
    ///   - isValid: whether it has a possible value.
    ///   - property: the property, as it is written in code: `retry.maximumAttempts`.
    ///   - rule: the possible values: `must be 1 or more`.
    /// - Throws: ``NetworkError`` with the code ``misconfigured``, whose message names the property and not its value.
    package static func require(
        _ isValid: Bool, _ property: String, _ rule: String
    ) throws(NetworkError) {
        guard isValid else {
            throw NetworkError(.misconfigured, "Invalid setting '\(property)': \(rule).")
        }
    }

    /// The same error of a setting within another one.
    ///
    /// - Parameter property: the property that the setting belongs to, such as `retry`.
    package func within(_ property: String) -> NetworkError {
        let start = "Invalid setting '"
        guard code == .misconfigured, message.hasPrefix(start) else { return self }
        return NetworkError(.misconfigured, "\(start)\(property).\(message.dropFirst(start.count))")
    }
}
