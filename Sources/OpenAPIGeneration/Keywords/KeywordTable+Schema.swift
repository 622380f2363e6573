extension KeywordTable {
    /// The keywords of a schema: JSON Schema 2020-12, vocabulary by vocabulary, then OpenAPI's own.
    static let schema: [String: KeywordUse] = core.merging(validation) { first, _ in first }
        .merging(annotations) { first, _ in first }
        .merging(Bound.allCases.map { ($0.rawValue, KeywordUse.read) }) { first, _ in first }
        .merging(Applicator.allCases.map { ($0.rawValue, KeywordUse.object(.schema)) }) { _, read in read }

    /// Without applicators, which have a separate table.
    private static let core: [String: KeywordUse] = [
        "$schema": .ignored, "$vocabulary": .ignored, "$comment": .ignored,
        "$id": .read, "$ref": .read, "$anchor": .read, "$defs": .map(.schema), "definitions": .map(.schema),
        "$dynamicRef": .unsupported(.unsupportedSchema, "the reference is ignored"),
        // It has no effect without a $dynamicRef.
        "$dynamicAnchor": .ignored,
        "allOf": .list(.schema), "anyOf": .list(.schema), "oneOf": .list(.schema),
        "not": .object(.schema), "if": .object(.schema),
        "then": .object(.schema), "else": .object(.schema),
        "dependentSchemas": .map(.schema),
        "prefixItems": .list(.schema),
        "contains": .object(.schema),
        "properties": .map(.schema),
        "patternProperties": .map(.schema),
        "additionalProperties": .object(.schema),
        "propertyNames": .object(.schema),
        "unevaluatedItems": .object(.schema),
        "unevaluatedProperties": .object(.schema),
    ]

    /// Without bounds, which have a separate table.
    private static let validation: [String: KeywordUse] = [
        "type": .read, "enum": .data, "const": .data, "required": .read, "format": .read,
        "minContains": .read, "maxContains": .read, "dependentRequired": .read,
    ]

    private static let annotations: [String: KeywordUse] = [
        "title": .read, "description": .read, "default": .data, "deprecated": .read, "readOnly": .read,
        "writeOnly": .read, "example": .example, "examples": .example,
        "contentEncoding": .read, "contentMediaType": .read, "contentSchema": .object(.schema),
        "nullable": .read, "discriminator": .object(.discriminator), "xml": .ignored,
        "externalDocs": .ignored,
    ]

    /// Descriptive keywords, whose loss next to a `$ref` in OpenAPI 3.0 is not reported.
    static let words: Set<String> = [
        "title", "summary", "description", "default", "deprecated", "example", "examples", "externalDocs",
    ]
}
