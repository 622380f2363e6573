public import GatewayJSON

/// Values of any shape: objects, unions, and arrays of them. Primitives and arrays of primitives have separate methods,
/// which are faster.
extension RequestBuilder {
    /// Adds a value to the path. It must not be empty.
    public mutating func pathValue<Value: JSONEncodable>(
        _ name: StaticString, _ value: Value, _ style: ParameterStyle, isReserved: Bool = false
    ) {
        guard let pieces = pieces(name, value, style, isReserved ? .reservedInPath : .unreserved) else {
            return
        }
        let text = pieces.joined()
        if text.isEmpty { fail("The path parameter '\(name)' must not be empty.") }
        fill(text)
    }

    /// Adds a value to the query; `nil` is omitted.
    public mutating func queryValue<Value: JSONEncodable>(
        _ name: StaticString, _ value: Value?, _ style: ParameterStyle, isReserved: Bool = false
    ) {
        guard let value, let pieces = pieces(name, value, style, isReserved ? .reserved : .unreserved) else {
            return
        }
        for piece in pieces { query.append((name, piece)) }
    }

    /// Adds the members of a value to the query as the fields of a form; `nil` is omitted.
    ///
    /// - Parameter encoding: the encoding of properties, as of ``formBody(_:_:)``.
    public mutating func queryForm<Value: JSONEncodable>(
        _ name: StaticString, _ value: Value?, _ encoding: StaticString = ""
    ) {
        guard let value else { return }
        do throws(JSONError) {
            let styles = FormEncoding(encoding)
            for (key, element) in try JSONDocument(value.jsonBytes()).root.object().members {
                for piece in try styles.pieces(key, element) { query.append((name, piece)) }
            }
        } catch {
            fail("The parameter '\(name)' cannot be written: \(error.message).")
        }
    }

    /// Adds a header field with a value of any shape; `nil` is omitted.
    public mutating func headerValue<Value: JSONEncodable>(
        _ name: StaticString, _ value: Value?, _ style: ParameterStyle
    ) {
        guard let value, let pieces = pieces(name, value, style, nil), !pieces.isEmpty else { return }
        field(name, pieces.joined(separator: ","))
    }

    /// Adds one cookie or several with a value of any shape; `nil` is omitted.
    public mutating func cookieValue<Value: JSONEncodable>(
        _ name: StaticString, _ value: Value?, _ style: ParameterStyle, isReserved: Bool = false
    ) {
        let isPlain = style == .cookie || style == .cookieExploded
        let allowed = isReserved ? PercentEncoding.Allowed.reservedInCookie : .unreserved
        guard let value, let pieces = pieces(name, value, style, isPlain ? nil : allowed) else { return }
        if isPlain, !pieces.allSatisfy({ Self.isCookieText($0) }) {
            return fail("The cookie parameter '\(name)' has a character that is not allowed in a cookie.")
        }
        cookies += pieces
    }

    /// Adds a cookie with a value as JSON; `nil` is omitted.
    public mutating func cookieJSON<Value: JSONEncodable>(_ name: StaticString, _ value: Value?) {
        guard let value, let text = jsonText(value) else { return }
        cookie(name, text)
    }

    private mutating func pieces(
        _ name: StaticString, _ value: some JSONEncodable, _ style: ParameterStyle,
        _ allowed: PercentEncoding.Allowed?
    ) -> [String]? {
        do throws(JSONError) {
            let serializer = ParameterSerializer(name: "\(name)", style: style, allowed: allowed)
            return try serializer.pieces(JSONDocument(value.jsonBytes()).root)
        } catch {
            fail("The parameter '\(name)' cannot be written: \(error.message).")
            return nil
        }
    }

    /// Whether a text can be part of a `cookie-pair` without encoding (RFC 6265, section 4.1.1). Commas and spaces are
    /// also accepted, because clients send them and servers read them.
    private static func isCookieText(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ";") }
    }
}
