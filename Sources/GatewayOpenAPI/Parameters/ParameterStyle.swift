/// How a value of any shape is encoded: the rows of the table "Style Examples" (OpenAPI 3.2, Style Values).
@_spi(Generated) public enum ParameterStyle: String, Sendable {
    case simple, simpleExploded, label, labelExploded, matrix, matrixExploded
    case form, formExploded, spaceDelimited, pipeDelimited, deepObject
    case cookie, cookieExploded
}
