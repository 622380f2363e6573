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

    /// Validates what is inside of a property.
    ///
    /// - Parameters:
    ///   - property: the property, such as `retry`.
    ///   - validate: the check; `nil` if there is nothing to check.
    /// - Throws: the error of the check, with the property before the name.
    package static func check(
        _ property: String, _ validate: (() throws(NetworkError) -> Void)?
    ) throws(NetworkError) {
        do throws(NetworkError) { try validate?() } catch { throw error.within(property) }
    }

    /// The error of a check; `nil` if it is passed.
    package static func problem(_ check: () throws(NetworkError) -> Void) -> NetworkError? {
        do throws(NetworkError) {
            try check()
            return nil
        } catch { return error }
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
