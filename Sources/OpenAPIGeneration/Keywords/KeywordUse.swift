/// How a keyword of the document is handled.
enum KeywordUse {
    /// It is read; its value has no keywords.
    case read
    /// It is read; its value is an object of this kind.
    case object(ObjectKind)
    /// It is read; its value is an array of such objects.
    case list(ObjectKind)
    /// It is read; the values of its members are such objects.
    case map(ObjectKind)
    /// It is read; the values of its members are references, or maps of such objects.
    case maps(ObjectKind)
    /// It does not affect how calls are made or decoded, or only the server checks it. Ignored without a diagnostic.
    case ignored
    /// It is not supported, with this consequence. Empty arrays and objects are not reported.
    case unsupported(Diagnostic.Rule, String)
    /// It is read, and the values of its members are such objects; it is supported only in part, with this consequence.
    case degraded(ObjectKind, Diagnostic.Rule, String)
    /// Nothing is generated for its members, which are named by this noun.
    case eachUnsupported(Diagnostic.Rule, String)
}

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
