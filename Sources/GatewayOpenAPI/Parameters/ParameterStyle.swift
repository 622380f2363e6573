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

/// How an object stands in a query.
@_spi(Generated) public enum QueryObjectStyle: Sendable {
    case form, formExploded, deepObject
}
