/// The supported versions of OpenAPI, which differ in the schema dialect.
enum OpenAPIVersion: Sendable {
    case v3_0, v3_1, v3_2

    /// The version that a document declares.
    static func read(_ root: Node) throws(Diagnostic) -> OpenAPIVersion {
        guard root.object != nil else {
            throw .error(
                .structure, "an OpenAPI document must be an object, found \(root.kind)", at: root.position)
        }
        guard let declared = root["openapi"] else {
            if let swagger = root["swagger"] {
                throw .error(
                    .version, "Swagger 2.0 is not supported; convert the document to OpenAPI 3.0 or later",
                    at: swagger.position)
            }
            throw .error(.version, "missing key \"openapi\"", at: root.position)
        }
        let text: String
        switch declared.value {
        case .string(let version), .number(let version): text = version
        default:
            throw .error(
                .version, "\"openapi\" must be a string, found \(declared.kind)", at: declared.position)
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        switch parts.prefix(2).map({ String($0) }) {
        case ["3", "0"]: return .v3_0
        case ["3", "1"]: return .v3_1
        case ["3", "2"]: return .v3_2
        default:
            throw .error(
                .version, "OpenAPI version \"\(text)\" is not supported; use 3.0, 3.1 or 3.2",
                at: declared.position)
        }
    }
}
