public import GatewayPatterns

/// A literal in generated code.
@_spi(Generated) extension ExactText: ExpressibleByStringLiteral {
    /// The text of a literal.
    public init(stringLiteral value: String) { self.init(value) }
}

extension String {
    /// The text, for a `switch` by code points.
    @_spi(Generated) public var exact: ExactText { ExactText(self) }
}
