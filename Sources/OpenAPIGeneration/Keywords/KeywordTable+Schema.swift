extension KeywordTable {
    /// The keywords of a schema: JSON Schema 2020-12, vocabulary by vocabulary, then OpenAPI's own.
    static let schema: [String: KeywordUse] = core.merging(validation) { first, _ in first }
        .merging(annotations) { first, _ in first }

    private static let unchecked = "values are not validated against it"

    private static let core: [String: KeywordUse] = [
        "$schema": .harmless, "$vocabulary": .harmless, "$comment": .harmless,
        "$id": .read, "$ref": .read, "$anchor": .read, "$defs": .map(.schema), "definitions": .map(.schema),
        "$dynamicRef": .lost(.unsupportedSchema, "the reference is ignored"),
        // It has no effect without a $dynamicRef.
        "$dynamicAnchor": .harmless,
        "allOf": .list(.schema), "anyOf": .list(.schema), "oneOf": .list(.schema),
        "not": .lost(.unsupportedSchema, unchecked),
        "if": .lost(.unsupportedSchema, "the conditional schema is ignored"),
        // They have no effect without an "if".
        "then": .harmless, "else": .harmless,
        "dependentSchemas": .lost(.unsupportedSchema, "the conditional schema is ignored"),
        "prefixItems": .lost(.unsupportedSchema, unchecked),
        "items": .object(.schema),
        "contains": .lost(.unsupportedSchema, unchecked),
        "properties": .map(.schema),
        "patternProperties": .lost(
            .unsupportedSchema, "matching properties are handled as additional properties"),
        "additionalProperties": .object(.schema),
        "propertyNames": .lost(.unsupportedSchema, unchecked),
        "unevaluatedItems": .lost(.unsupportedSchema, unchecked),
        "unevaluatedProperties": .object(.schema),
    ]

    /// Bounds and patterns do not change the Swift type of a value. The server validates requests; responses are not
    /// validated.
    private static let validation: [String: KeywordUse] = [
        "type": .read, "enum": .read, "const": .read, "required": .read, "format": .read,
        "minimum": .read, "maximum": .read,
        "multipleOf": .harmless, "exclusiveMinimum": .harmless, "exclusiveMaximum": .harmless,
        "minLength": .harmless, "maxLength": .harmless, "pattern": .harmless,
        "minItems": .harmless, "maxItems": .harmless, "uniqueItems": .harmless,
        // They have no effect without a "contains".
        "minContains": .harmless, "maxContains": .harmless,
        "minProperties": .harmless, "maxProperties": .harmless,
        "dependentRequired": .lost(.unsupportedSchema, unchecked),
    ]

    private static let annotations: [String: KeywordUse] = [
        "title": .read, "description": .read, "default": .read, "deprecated": .read, "readOnly": .read,
        "writeOnly": .read, "example": .harmless, "examples": .harmless,
        "contentEncoding": .read, "contentMediaType": .harmless, "contentSchema": .harmless,
        "nullable": .read, "discriminator": .object(.discriminator), "xml": .harmless,
        "externalDocs": .harmless,
    ]

    /// Descriptive keywords, whose loss next to a `$ref` in OpenAPI 3.0 is not reported.
    static let words: Set<String> = [
        "title", "summary", "description", "default", "deprecated", "example", "examples", "externalDocs",
    ]
}
