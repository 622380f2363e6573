public import GatewayJSON

/// Values of any form: objects, unions, arrays of those. Primitives and arrays of primitives have calls of their
/// own, which cost less.
extension RequestBuilder {
    /// Any value in a path. It must not be empty.
    public mutating func pathValue<Value: JSONEncodable>(
        _ name: StaticString, _ value: Value, _ style: ParameterStyle
    ) {
        guard let pieces = pieces(name, value, style, .unreserved) else { return }
        let text = pieces.joined()
        if text.isEmpty { fail("The path parameter '\(name)' must not be empty.") }
        fill(text)
    }

    /// Any value in a query; `nil` leaves it out.
    public mutating func queryValue<Value: JSONEncodable>(
        _ name: StaticString, _ value: Value?, _ style: ParameterStyle, isReserved: Bool = false
    ) {
        guard let value, let pieces = pieces(name, value, style, isReserved ? .reserved : .unreserved) else {
            return
        }
        for piece in pieces { query.append((name, piece)) }
    }

    /// A value whose text is a query's part already but for its encoding, whatever media type it is of.
    public mutating func queryText(_ name: StaticString, _ value: String?) { query(name, value) }

    /// Any value as header field; `nil` leaves it out.
    public mutating func headerValue<Value: JSONEncodable>(
        _ name: StaticString, _ value: Value?, _ style: ParameterStyle
    ) {
        guard let value, let pieces = pieces(name, value, style, nil), !pieces.isEmpty else { return }
        field(name, pieces.joined(separator: ","))
    }

    /// Any value as cookie, or as several; `nil` leaves it out.
    public mutating func cookieValue<Value: JSONEncodable>(
        _ name: StaticString, _ value: Value?, _ style: ParameterStyle
    ) {
        let isPlain = style == .cookie || style == .cookieExploded
        guard let value, let pieces = pieces(name, value, style, isPlain ? nil : .unreserved) else { return }
        if isPlain, !pieces.allSatisfy({ Self.isCookieText($0) }) {
            return fail("The cookie parameter '\(name)' has a character that is not allowed in a cookie.")
        }
        cookies += pieces
    }

    /// Any value as cookie, as JSON; `nil` leaves it out.
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

    /// Whether a `cookie-pair` can hold this as it is (RFC 6265, section 4.1.1), commas and spaces apart, which
    /// clients send and servers read.
    private static func isCookieText(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ";") }
    }
}
