/// Every keyword of OpenAPI 3.0, 3.1 and 3.2, how it is handled, and the versions that define it if not all do. A keyword
/// in no table is misspelled or belongs to a later version. The tables are in the order of the specification.
enum KeywordTable {
    /// The keywords of a kind.
    @inline(never)
    static func keywords(of kind: ObjectKind) -> [String: KeywordUse] { tables[kind] ?? [:] }

    private static let tables: [ObjectKind: [String: KeywordUse]] = [
        .document: document, .info: info, .server: server, .serverVariable: serverVariable,
        .components: components, .tag: tag, .pathItem: pathItem, .operation: operation,
        .parameter: parameter, .requestBody: requestBody, .mediaType: mediaType, .encoding: encoding,
        .response: response,
        .link: link, .header: header, .schema: schema, .discriminator: discriminator,
        .securityScheme: securityScheme,
        .flows: flows, .flow: flow,
    ]

    private static let document: [String: KeywordUse] = [
        "openapi": .read,
        "$self": .read.since(.v3_2),
        "info": .object(.info),
        "jsonSchemaDialect": .unsupported(.unsupportedSchema, "the OpenAPI base dialect is used"),
        "servers": .list(.server),
        "paths": .map(.pathItem),
        "webhooks": .map(.pathItem).since(.v3_1),
        "components": .object(.components),
        "security": .read,
        "tags": .list(.tag),
        "externalDocs": .ignored,
    ]

    private static let info: [String: KeywordUse] = [
        "title": .read, "summary": .read.since(.v3_1), "description": .read, "version": .read,
        "termsOfService": .ignored, "contact": .ignored, "license": .ignored,
    ]

    private static let server: [String: KeywordUse] = [
        "url": .read, "name": .read.since(.v3_2), "description": .read, "variables": .map(.serverVariable),
    ]

    private static let serverVariable: [String: KeywordUse] = [
        "enum": .data, "default": .data, "description": .read,
    ]

    private static let components: [String: KeywordUse] = [
        "schemas": .map(.schema), "responses": .map(.response), "parameters": .map(.parameter),
        "examples": .example, "requestBodies": .map(.requestBody), "headers": .map(.header),
        "securitySchemes": .map(.securityScheme), "links": .map(.link), "callbacks": .maps(.pathItem),
        "pathItems": .map(.pathItem).since(.v3_1), "mediaTypes": .map(.mediaType).since(.v3_2),
    ]

    private static let tag: [String: KeywordUse] = [
        "name": .read, "summary": .ignored.since(.v3_2), "description": .read, "externalDocs": .ignored,
        "parent": .ignored.since(.v3_2), "kind": .ignored.since(.v3_2),
    ]

    private static let pathItem: [String: KeywordUse] = [
        "$ref": .read, "summary": .ignored, "description": .ignored,
        "get": .object(.operation), "put": .object(.operation), "post": .object(.operation),
        "delete": .object(.operation), "options": .object(.operation), "head": .object(.operation),
        "patch": .object(.operation), "trace": .object(.operation),
        "query": .object(.operation).since(.v3_2),
        "additionalOperations": .eachUnsupported(.unsupportedOperation, "operation"),
        "servers": .list(.server), "parameters": .list(.parameter),
    ]

    private static let operation: [String: KeywordUse] = [
        "tags": .read, "summary": .read, "description": .read, "externalDocs": .ignored,
        "operationId": .read, "parameters": .list(.parameter), "requestBody": .object(.requestBody),
        "responses": .map(.response),
        "callbacks": .maps(.pathItem),
        "deprecated": .read, "security": .read, "servers": .list(.server),
    ]

    private static let parameter: [String: KeywordUse] = [
        "name": .read, "in": .read, "description": .read, "required": .read, "deprecated": .read,
        // An empty value can be sent with and without it.
        "allowEmptyValue": .ignored,
        "style": .read, "explode": .read, "allowReserved": .read, "schema": .object(.schema),
        "example": .example, "examples": .example, "content": .map(.mediaType),
    ]

    private static let requestBody: [String: KeywordUse] = [
        "description": .read, "content": .map(.mediaType), "required": .read,
    ]

    private static let mediaType: [String: KeywordUse] = [
        "schema": .object(.schema), "example": .example, "examples": .example,
        "itemSchema": .object(.schema).since(.v3_2), "encoding": .map(.encoding),
        "prefixEncoding": .unsupported(.unsupportedMediaType, "generating a raw body"),
        "itemEncoding": .unsupported(.unsupportedMediaType, "generating a raw body"),
    ]

    private static let encoding: [String: KeywordUse] = [
        "contentType": .read, "headers": .map(.header), "style": .read, "explode": .read,
        "allowReserved": .read,
        // Added in 3.2, for parts that are forms.
        "encoding": nested, "prefixEncoding": nested, "itemEncoding": nested,
    ]

    private static let nested = KeywordUse.unsupported(
        .unsupportedMediaType, "the part is sent by the type of the property")

    private static let response: [String: KeywordUse] = [
        "summary": .ignored.since(.v3_2), "description": .read, "headers": .map(.header),
        "content": .map(.mediaType), "links": .map(.link),
    ]

    private static let link: [String: KeywordUse] = [
        "operationRef": .read, "operationId": .read, "parameters": .read, "requestBody": .read,
        "description": .ignored,
        "server": .unsupported(.unsupportedOperation, "the linked operation uses its own server"),
    ]

    /// A header of a response or of a part. The `required` of a response's has no effect on clients, and a header has only
    /// one style.
    private static let header: [String: KeywordUse] = [
        "description": .read, "required": .ignored, "deprecated": .ignored, "allowEmptyValue": .ignored,
        "style": .ignored, "explode": .read, "allowReserved": .ignored, "schema": .object(.schema),
        "example": .example, "examples": .example, "content": .map(.mediaType),
    ]

    private static let discriminator: [String: KeywordUse] = [
        "propertyName": .read, "mapping": .read, "defaultMapping": .read.since(.v3_2),
    ]

    private static let securityScheme: [String: KeywordUse] = [
        "type": .read, "description": .read, "name": .read, "in": .read, "scheme": .read,
        "bearerFormat": .ignored, "flows": .object(.flows),
        "openIdConnectUrl": .read, "oauth2MetadataUrl": .read.since(.v3_2),
        "deprecated": .ignored.since(.v3_2),
    ]

    private static let flows: [String: KeywordUse] = [
        // This flow runs in a browser; the client gets the token.
        "implicit": .object(.flow), "password": .object(.flow), "clientCredentials": .object(.flow),
        "authorizationCode": .object(.flow), "deviceAuthorization": .object(.flow).since(.v3_2),
    ]

    private static let flow: [String: KeywordUse] = [
        "authorizationUrl": .read, "deviceAuthorizationUrl": .read.since(.v3_2), "tokenUrl": .read,
        "refreshUrl": .read, "scopes": .read,
    ]
}
