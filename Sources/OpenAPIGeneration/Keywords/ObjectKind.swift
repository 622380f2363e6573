/// The objects of the specification that have keywords.
enum ObjectKind: CaseIterable {
    case document, info, server, serverVariable, components, tag
    case pathItem, operation, parameter, requestBody, mediaType, encoding, response, header, link
    case schema, discriminator
    case securityScheme, flows, flow

    /// The name for messages, with its article.
    var name: String {
        switch self {
        case .document: "an OpenAPI document"
        case .info: "an info object"
        case .server: "a server"
        case .serverVariable: "a server variable"
        case .components: "components"
        case .tag: "a tag"
        case .pathItem: "a path item"
        case .operation: "an operation"
        case .parameter: "a parameter"
        case .requestBody: "a request body"
        case .mediaType: "a media type"
        case .encoding: "an encoding"
        case .response: "a response"
        case .header: "a header"
        case .link: "a link"
        case .schema: "a schema"
        case .discriminator: "a discriminator"
        case .securityScheme: "a security scheme"
        case .flows: "OAuth flows"
        case .flow: "an OAuth flow"
        }
    }
}
