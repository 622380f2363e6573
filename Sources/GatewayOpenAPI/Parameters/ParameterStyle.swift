/// How an array stands in a path (OpenAPI 3.2, Style Values; RFC 6570, sections 3.2.2, 3.2.5 and 3.2.7).
@_spi(Generated) public enum PathStyle: Sendable {
    case simple, label, labelExploded, matrix, matrixExploded
}

/// How an array stands in a query (OpenAPI 3.2, Style Values; RFC 6570, section 3.2.8).
@_spi(Generated) public enum QueryArrayStyle: Sendable {
    case form, formExploded, spaceDelimited, pipeDelimited

    /// What stands between the elements, percent-encoded where a query must not hold it.
    var separator: String {
        switch self {
        case .form, .formExploded: ","
        case .spaceDelimited: "%20"
        case .pipeDelimited: "%7C"
        }
    }
}

/// How any value stands in its place: the rows of the table "Style Examples" (OpenAPI 3.2, Style Values).
@_spi(Generated) public enum ParameterStyle: String, Sendable {
    case simple, simpleExploded, label, labelExploded, matrix, matrixExploded
    case form, formExploded, spaceDelimited, pipeDelimited, deepObject
    case cookie, cookieExploded
}
