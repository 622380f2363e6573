/// The versions of OpenAPI that can be read. They differ in the schema dialect.
enum OpenAPIVersion: Sendable {
    case v3_0, v3_1, v3_2

    /// The version that a document declares.
    static func read(_ root: Node) throws(Diagnostic) -> OpenAPIVersion {
        guard root.object != nil else {
            throw .error(
                .structure, "an OpenAPI document is an object, this is \(root.kind)", at: root.position)
        }
        guard let declared = root["openapi"] else {
            if let swagger = root["swagger"] {
                throw .error(
                    .version,
                    "this is a Swagger 2.0 document; OpenAPI 3.0, 3.1 and 3.2 are supported, converters exist",
                    at: swagger.position)
            }
            throw .error(.version, "the key \"openapi\" with the version is missing", at: root.position)
        }
        let text: String
        switch declared.value {
        case .string(let version), .number(let version): text = version
        default:
            throw .error(
                .version, "the version has to be a string, this is \(declared.kind)", at: declared.position)
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        switch parts.prefix(2).map({ String($0) }) {
        case ["3", "0"]: return .v3_0
        case ["3", "1"]: return .v3_1
        case ["3", "2"]: return .v3_2
        default:
            throw .error(
                .version, "OpenAPI \"\(text)\" is not supported; 3.0, 3.1 and 3.2 are", at: declared.position)
        }
    }
}
