/// How an array is encoded in a path (OpenAPI 3.2, Style Values; RFC 6570, sections 3.2.2, 3.2.5 and 3.2.7).
@_spi(Generated) public enum PathStyle: Sendable {
    case simple, label, labelExploded, matrix, matrixExploded
}

/// How an array is encoded in a query (OpenAPI 3.2, Style Values; RFC 6570, section 3.2.8).
@_spi(Generated) public enum QueryArrayStyle: Sendable {
    case form, formExploded, spaceDelimited, pipeDelimited

    /// The separator of the elements, percent-encoded if a query does not allow the character.
    var separator: String {
        switch self {
        case .form, .formExploded: ","
        case .spaceDelimited: "%20"
        case .pipeDelimited: "%7C"
        }
    }
}

/// How a value of any shape is encoded: the rows of the table "Style Examples" (OpenAPI 3.2, Style Values).
@_spi(Generated) public enum ParameterStyle: String, Sendable {
    case simple, simpleExploded, label, labelExploded, matrix, matrixExploded
    case form, formExploded, spaceDelimited, pipeDelimited, deepObject
    case cookie, cookieExploded
}
