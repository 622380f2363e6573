/// The supported versions of OpenAPI, which differ in the schema dialect.
enum OpenAPIVersion: String, CaseIterable, Comparable, Sendable {
    case v3_0 = "3.0"
    case v3_1 = "3.1"
    case v3_2 = "3.2"

    @inline(never)
    static func < (left: OpenAPIVersion, right: OpenAPIVersion) -> Bool { left.rawValue < right.rawValue }

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
        guard let version = OpenAPIVersion(rawValue: parts.prefix(2).joined(separator: ".")) else {
            throw .error(
                .version, "OpenAPI version \"\(text)\" is not supported; use 3.0, 3.1 or 3.2",
                at: declared.position)
        }
        return version
    }
}
