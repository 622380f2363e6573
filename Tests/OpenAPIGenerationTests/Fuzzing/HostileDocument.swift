@testable import OpenAPIGeneration

/// A document that puts given words wherever a document has words of its own.
enum HostileDocument {
    /// - Parameter words: Up to eight are used; missing ones are empty.
    static func text(_ words: [String]) -> String {
        func word(_ index: Int) -> String { JSONText.quoted(index < words.count ? words[index] : "") }
        func path(_ index: Int) -> String {
            let scalars = (index < words.count ? words[index] : "").unicodeScalars
            let allowed = scalars.filter { $0.isASCII && $0.value > 0x20 && $0 != "\\" && $0 != "\"" }
            return "\"/" + String(String.UnicodeScalarView(allowed)) + "\""
        }
        return """
            {"openapi": "3.1.0",
            "info": {"title": \(word(0)), "version": \(word(1)), "description": \(word(2)), "summary": \(word(3))},
            "servers": [{"url": "https://example.com/", "description": \(word(4)), "name": \(word(5))}],
            "tags": [{"name": \(word(6)), "description": \(word(7))}],
            "paths": {\(path(0)): {"get": {"tags": [\(word(6))], "operationId": \(word(1)), "summary": \(word(2)),
              "description": \(word(0)), "parameters": [
                {"name": \(word(3)), "in": "query", "description": \(word(4)),
                  "schema": {"type": "string", "default": \(word(5)), "enum": [\(word(0)), \(word(1))]}},
                {"name": \(word(2)), "in": "query", "schema": {"type": "array", "items": {"type": "integer"}}}],
              "responses": {"200": {"description": \(word(7)),
                "headers": {"x": {"description": \(word(0)), "schema": {"type": "string"}}},
                "content": {"application/json": {"schema": {"type": "object", "title": \(word(6)),
                  "properties": {\(word(5)): {"type": "string", "enum": [\(word(3)), \(word(4))]}}}}}},
                "default": {"description": \(word(3))}}}}},
            "components": {
              "securitySchemes": {\(word(1)): {"type": "http", "scheme": "bearer", "description": \(word(2))}},
              "schemas": {\(word(4)): {"type": "object", "description": \(word(5)), "title": \(word(6)),
                "required": [\(word(7))],
                "properties": {\(word(7)): {"const": \(word(0)), "description": \(word(1))},
                  "union": {"oneOf": [{"title": \(word(2)), "type": "string"}, {"title": \(word(3)), "type": "object",
                    "properties": {\(word(4)): {"type": "boolean", "deprecated": true}}}],
                    "discriminator": {"propertyName": \(word(5))}}}},
              "Self": {"type": "string", "enum": [\(word(0)), \(word(1)), \(word(2)), \(word(3))],
                "x-enum-varnames": [\(word(4)), \(word(5)), \(word(6)), \(word(7))]}}}}
            """
    }
}
