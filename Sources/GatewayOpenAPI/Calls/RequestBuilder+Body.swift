public import GatewayCore
public import GatewayJSON

extension RequestBuilder {
    /// A body in JSON; `nil` sends none.
    public mutating func jsonBody<Value: JSONEncodable>(_ value: Value?, _ mediaType: StaticString) {
        guard let value else { return }
        do throws(JSONError) {
            body = .bytes(try value.jsonBytes())
            contentType(mediaType)
        } catch {
            fail("The body cannot be written as JSON: \(error.message).")
        }
    }

    /// A body in JSON that has to be there; `nil` is `null`.
    public mutating func nullableJSONBody<Value: JSONEncodable>(
        _ value: Value?, _ mediaType: StaticString
    ) {
        if let value {
            jsonBody(value, mediaType)
        } else {
            jsonBody(JSONValue.null, mediaType)
        }
    }

    /// A body in `application/x-www-form-urlencoded` (WHATWG URL, section 5); `nil` sends none.
    ///
    /// Arrays repeat their name; anything deeper is written as JSON.
    public mutating func formBody<Value: JSONEncodable>(_ value: Value?) {
        guard let value else { return }
        do throws(JSONError) {
            var parts: [String] = []
            for (name, element) in try JSONDocument(value.jsonBytes()).root.object().members {
                let name = PercentEncoding.encode(name, .form)
                let elements = element.type == .array ? Array(try element.elements()) : [element]
                for element in elements {
                    guard let text = try Self.formText(element) else { continue }
                    parts.append(name + "=" + PercentEncoding.encode(text, .form))
                }
            }
            body = .text(parts.joined(separator: "&"))
            contentType("application/x-www-form-urlencoded")
        } catch {
            fail("The body cannot be written as a form: \(error.message).")
        }
    }

    /// A body in text; `nil` sends none.
    public mutating func textBody(_ value: String?, _ mediaType: StaticString) {
        guard let value else { return }
        body = .text(value)
        contentType(mediaType)
    }

    /// A body of your own making; `nil` sends none.
    public mutating func rawBody(_ value: HTTPBody?, _ mediaType: StaticString) {
        guard let value else { return }
        body = value
        contentType(mediaType)
    }

    private static func formText(_ element: JSONElement) throws(JSONError) -> String? {
        switch element.type {
        case .array, .object: String(decoding: try JSONValue(json: element).jsonBytes(), as: UTF8.self)
        default: try primitiveText(element)
        }
    }

    private mutating func contentType(_ mediaType: StaticString) {
        fields[.contentType] = "\(mediaType)"
    }
}
