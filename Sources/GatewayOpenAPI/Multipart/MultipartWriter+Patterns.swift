@_spi(Generated) public import GatewayJSON

/// The parts of a form whose names match patterns (JSON Schema 2020-12, `patternProperties`).
extension MultipartWriter {
    /// The properties of a form whose names match the patterns of a line. Another name cannot be written: the part would
    /// be one of another property.
    ///
    /// - Parameter known: names of parts that are written otherwise.
    @_spi(Generated) public mutating func matching<Value>(
        _ properties: [String: Value], _ known: [String], _ patterns: NamePatterns, _ line: Int
    ) -> [(name: String, value: Value)] {
        parts(properties, known, patterns, line)
    }

    /// The additional properties of a form, whose names match no pattern.
    @_spi(Generated) public mutating func unmatched<Value>(
        _ properties: [String: Value], _ known: [String], _ patterns: NamePatterns
    ) -> [(name: String, value: Value)] {
        parts(properties, known, patterns, nil)
    }

    private mutating func parts<Value>(
        _ properties: [String: Value], _ known: [String], _ patterns: NamePatterns, _ line: Int?
    ) -> [(name: String, value: Value)] {
        if properties.keys.contains(where: { patterns.line(of: $0) != line }) {
            failure = failure ?? "the name of a part does not match the pattern of its property"
        }
        return additional(properties, known)
    }
}
