extension String: JSONDecodable, JSONEncodable {
    /// Reads a string.
    public init(json: JSONElement) throws(JSONError) { self = try json.string() }
    /// Writes a string.
    public func write(to writer: inout JSONWriter) { writer.string(self) }
}

extension Bool: JSONDecodable, JSONEncodable {
    /// Reads a boolean.
    public init(json: JSONElement) throws(JSONError) { self = try json.bool() }
    /// Writes a boolean.
    public func write(to writer: inout JSONWriter) { writer.bool(self) }
}

extension Int: JSONDecodable, JSONEncodable {
    /// Reads an integer, exactly.
    public init(json: JSONElement) throws(JSONError) { self = try json.integer() }
    /// Writes an integer.
    public func write(to writer: inout JSONWriter) { writer.integer(self) }
}

extension Int64: JSONDecodable, JSONEncodable {
    /// Reads an integer, exactly.
    public init(json: JSONElement) throws(JSONError) { self = try json.integer() }
    /// Writes an integer.
    public func write(to writer: inout JSONWriter) { writer.integer(self) }
}

extension Int32: JSONDecodable, JSONEncodable {
    /// Reads an integer, exactly.
    public init(json: JSONElement) throws(JSONError) { self = try json.integer() }
    /// Writes an integer.
    public func write(to writer: inout JSONWriter) { writer.integer(self) }
}

extension UInt64: JSONDecodable, JSONEncodable {
    /// Reads an integer, exactly.
    public init(json: JSONElement) throws(JSONError) { self = try json.integer() }
    /// Writes an integer.
    public func write(to writer: inout JSONWriter) { writer.integer(self) }
}

extension Double: JSONDecodable, JSONEncodable {
    /// Reads the nearest floating-point number.
    public init(json: JSONElement) throws(JSONError) { self = try json.double() }
    /// Writes a floating-point number.
    public func write(to writer: inout JSONWriter) { writer.double(self) }
}

extension Float: JSONDecodable, JSONEncodable {
    /// Reads the nearest floating-point number.
    public init(json: JSONElement) throws(JSONError) {
        guard let value = Float(try json.number().text), value.isFinite else {
            throw json.outOfRange("the number is too large")
        }
        self = value
    }
    /// Writes a floating-point number.
    public func write(to writer: inout JSONWriter) {
        guard isFinite, let number = JSONNumber(description) else {
            return writer.fail("JSON has no infinite or NaN number")
        }
        writer.number(number)
    }
}

extension JSONNumber: JSONDecodable, JSONEncodable {
    /// Reads a number, digit for digit.
    public init(json: JSONElement) throws(JSONError) { self = try json.number() }
    /// Writes a number, digit for digit.
    public func write(to writer: inout JSONWriter) { writer.number(self) }
}

extension Array: JSONDecodable where Element: JSONDecodable {
    /// Reads the elements of an array.
    public init(json: JSONElement) throws(JSONError) {
        let elements = try json.elements()
        let document = json.document
        self.init()
        reserveCapacity(elements.count)
        let end = document.end(of: json.index)
        var index = json.index + 1
        let hidden = elements.hidden
        while index < end {
            append(try Element(json: JSONElement(document: document, index: index, hidden: hidden)))
            index = document.end(of: index)
        }
    }
}

extension Array: JSONEncodable where Element: JSONEncodable {
    /// Writes an array.
    public func write(to writer: inout JSONWriter) {
        writer.beginArray()
        for element in self { element.write(to: &writer) }
        writer.endArray()
    }
}

extension Dictionary: JSONDecodable where Key == String, Value: JSONDecodable {
    /// Reads the members of an object.
    public init(json: JSONElement) throws(JSONError) { self = try json.object().additional([]) }
}

extension Dictionary: JSONEncodable where Key == String, Value: JSONEncodable {
    /// Writes an object, members in the order of their names.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.additional(self)
        writer.endObject()
    }
}

extension Optional: JSONDecodable where Wrapped: JSONDecodable {
    /// Reads a value that may be `null`.
    public init(json: JSONElement) throws(JSONError) { self = json.isNull ? nil : try Wrapped(json: json) }
}

extension Optional: JSONEncodable where Wrapped: JSONEncodable {
    /// Writes a value, or `null`.
    public func write(to writer: inout JSONWriter) {
        if let self { self.write(to: &writer) } else { writer.null() }
    }
}
