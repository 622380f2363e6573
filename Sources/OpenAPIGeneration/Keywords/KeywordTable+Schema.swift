extension KeywordTable {
    /// The keywords of a schema: JSON Schema 2020-12, vocabulary by vocabulary, then OpenAPI's own.
    static let schema: [String: KeywordUse] = core.merging(validation) { first, _ in first }
        .merging(annotations) { first, _ in first }
        .merging(Bound.allCases.map { ($0.rawValue, KeywordUse.read) }) { first, _ in first }
        .merging(Applicator.allCases.map { ($0.rawValue, KeywordUse.object(.schema)) }) { _, read in read }

    /// Without applicators, which have a separate table.
    private static let core: [String: KeywordUse] = [
        "$schema": .ignored.since(.v3_1), "$vocabulary": .ignored.since(.v3_1),
        "$comment": .ignored.since(.v3_1), "$id": .read.since(.v3_1, isAppliedBefore: false), "$ref": .read,
        "$anchor": .read.since(.v3_1), "$defs": .map(.schema).since(.v3_1), "definitions": .map(.schema),
        "$dynamicRef": .unsupported(.unsupportedSchema, "the reference is ignored"),
        // It has no effect without a $dynamicRef.
        "$dynamicAnchor": .ignored.since(.v3_1),
        "allOf": .list(.schema), "anyOf": .list(.schema), "oneOf": .list(.schema),
        "not": .object(.schema), "if": .object(.schema).since(.v3_1),
        "then": .object(.schema).since(.v3_1), "else": .object(.schema).since(.v3_1),
        "dependentSchemas": .map(.schema).since(.v3_1),
        "prefixItems": .list(.schema).since(.v3_1),
        "contains": .object(.schema).since(.v3_1),
        "properties": .map(.schema),
        "patternProperties": .map(.schema).since(.v3_1),
        "additionalProperties": .object(.schema),
        "propertyNames": .object(.schema).since(.v3_1),
        "unevaluatedItems": .object(.schema).since(.v3_1),
        "unevaluatedProperties": .object(.schema).since(.v3_1),
    ]

    /// Without bounds, which have a separate table.
    private static let validation: [String: KeywordUse] = [
        "type": .read.with(.array, .null), "exclusiveMinimum": .read.with(.number, .flag),
        "exclusiveMaximum": .read.with(.number, .flag), "enum": .data, "const": .data.since(.v3_1),
        "required": .read, "format": .read,
        "minContains": .read.since(.v3_1), "maxContains": .read.since(.v3_1),
        "dependentRequired": .read.since(.v3_1),
    ]

    private static let annotations: [String: KeywordUse] = [
        "title": .read, "description": .read, "default": .data, "deprecated": .read, "readOnly": .read,
        "writeOnly": .read, "example": .example, "examples": .example.since(.v3_1),
        "contentEncoding": .read.since(.v3_1), "contentMediaType": .read.since(.v3_1),
        "contentSchema": .object(.schema).since(.v3_1),
        "nullable": .read.until(.v3_0), "discriminator": .object(.discriminator), "xml": .ignored,
        "externalDocs": .ignored,
    ]

    /// Descriptive keywords, whose loss next to a `$ref` in OpenAPI 3.0 is not reported.
    static let words: Set<String> = [
        "title", "summary", "description", "default", "deprecated", "example", "examples", "externalDocs",
    ]
}
