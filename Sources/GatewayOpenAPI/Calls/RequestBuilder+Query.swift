public import GatewayJSON

extension RequestBuilder {
    /// A primitive in style `form`; `nil` leaves it out.
    public mutating func query<Value: ParameterValue>(_ name: StaticString, _ value: Value?) {
        guard let value else { return }
        append(name, "=", PercentEncoding.encode(value.parameterText))
    }

    /// A primitive whose reserved characters stay as they are; `nil` leaves it out.
    public mutating func queryReserved<Value: ParameterValue>(_ name: StaticString, _ value: Value?) {
        guard let value else { return }
        append(name, "=", PercentEncoding.encode(value.parameterText, .reserved))
    }

    /// An array; `nil` and no element leave it out.
    public mutating func queryArray<Value: ParameterValue>(
        _ name: StaticString, _ values: [Value]?, _ style: QueryArrayStyle
    ) {
        guard let values, !values.isEmpty else { return }
        let parts = values.map { PercentEncoding.encode($0.parameterText) }
        if style == .formExploded {
            for part in parts { append(name, "=", part) }
        } else {
            append(name, "=", parts.joined(separator: style.separator))
        }
    }

    /// An object of primitives; `nil` leaves it out.
    public mutating func queryObject<Value: JSONEncodable>(
        _ name: StaticString, _ value: Value?, _ style: QueryObjectStyle
    ) {
        guard let value, let members = flatMembers(value, name), !members.isEmpty else { return }
        switch style {
        case .formExploded:
            for (key, text) in members {
                query.append((name, PercentEncoding.encode(key) + "=" + PercentEncoding.encode(text)))
            }
        case .form:
            let parts = members.map { PercentEncoding.encode($0) + "," + PercentEncoding.encode($1) }
            append(name, "=", parts.joined(separator: ","))
        case .deepObject:
            for (key, text) in members {
                append(name, "%5B\(PercentEncoding.encode(key))%5D=", PercentEncoding.encode(text))
            }
        }
    }

    /// Any value, as JSON; `nil` leaves it out.
    public mutating func queryJSON<Value: JSONEncodable>(_ name: StaticString, _ value: Value?) {
        guard let value, let text = jsonText(value) else { return }
        append(name, "=", PercentEncoding.encode(text))
    }

    /// The encoded part of a parameter, with its name; `nil` when there is none.
    func queryText(_ name: StaticString) -> String? {
        query.first { "\($0.name)" == "\(name)" }?.text
    }

    /// Gives a parameter of style `form` another value.
    mutating func replaceQuery(_ name: StaticString, _ value: String) {
        query.removeAll { "\($0.name)" == "\(name)" }
        query(name, value)
    }

    private mutating func append(_ name: StaticString, _ separator: String, _ text: String) {
        query.append((name, PercentEncoding.encode("\(name)") + separator + text))
    }

    /// The members of an object whose values are primitives; `null` is left out.
    mutating func flatMembers(
        _ value: some JSONEncodable, _ name: StaticString
    ) -> [(String, String)]? {
        do throws(JSONError) {
            var members: [(String, String)] = []
            for (key, element) in try JSONDocument(value.jsonBytes()).root.object().members {
                guard let text = try Self.primitiveText(element) else { continue }
                members.append((key, text))
            }
            return members
        } catch {
            fail("The parameter '\(name)' is not an object of plain values.")
            return nil
        }
    }

    /// The text of a primitive; `nil` for `null`.
    static func primitiveText(_ element: JSONElement) throws(JSONError) -> String? {
        switch element.type {
        case .null: nil
        case .bool: try element.bool().parameterText
        case .number: try element.number().text
        case .string: try element.string()
        case .array, .object: throw element.wrongType("a plain value")
        }
    }

    mutating func jsonText(_ value: some JSONEncodable) -> String? {
        do throws(JSONError) {
            return String(decoding: try value.jsonBytes(), as: UTF8.self)
        } catch {
            fail("A parameter cannot be written as JSON: \(error.message).")
            return nil
        }
    }
}
