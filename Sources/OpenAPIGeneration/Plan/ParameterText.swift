/// The documentation of a parameter: description, bounds and default.
enum ParameterText {
    /// - Parameter isGenerated: Whether it is an idempotency key that the client generates.
    static func text(of parameter: Parameter, isGenerated: Bool = false) -> String? {
        var parts = [SwiftText.oneLine(parameter.text ?? "")]
        if isGenerated {
            if parts[0].isEmpty { parts[0] = "The idempotency key." }
            parts.append("Default: `options.idempotencyKey`, otherwise a new key for each call.")
        }
        guard !parts[0].isEmpty else { return parameter.isDeprecated ? "Deprecated." : nil }
        parts[0] = SwiftText.sentence(parts[0])
        let annotations = parameter.schema.annotations
        switch (annotations.minimum, annotations.maximum) {
        case (let low?, let high?): parts.append("From \(low) to \(high).")
        case (let low?, nil): parts.append("At least \(low).")
        case (nil, let high?): parts.append("At most \(high).")
        case (nil, nil): break
        }
        if let value = defaultText(annotations) { parts.append(value) }
        if parameter.isDeprecated, !SwiftText.saysDeprecated([parts[0]]) { parts.append("Deprecated.") }
        return parts.joined(separator: " ")
    }

    /// `Default: 50.`, for scalar defaults.
    static func defaultText(_ annotations: Annotations) -> String? {
        switch annotations.defaultValue?.value {
        case .bool(let flag): "Default: \(flag)."
        case .number(let number): "Default: \(number)."
        case .string(let text): text.isEmpty ? nil : "Default: \(SwiftText.oneLine(text))."
        case .null, .array, .object, nil: nil
        }
    }
}
