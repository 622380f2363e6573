import GatewayClient

/// A type of the user by its bare name, in place of the schema `Price` of the document Gallery.
struct GalleryPrice: JSONCodable, ParameterValue, Hashable, Sendable {
    var cents: Int

    init(_ cents: Int) { self.cents = cents }

    init?(parameterText: String) {
        guard parameterText.hasSuffix("c"), let cents = Int(parameterText.dropLast()) else { return nil }
        self.cents = cents
    }

    var parameterText: String { "\(cents)c" }

    init(json: JSONElement) throws(JSONError) {
        guard let price = Self(parameterText: try json.string()) else { throw json.wrongFormat("a price") }
        self = price
    }

    func write(to writer: inout JSONWriter) { writer.string(parameterText) }
}

/// A type of the user by the name of its module, in place of the format `size`.
struct PrintSize: JSONCodable, ParameterValue, Hashable, Sendable {
    var text: String

    init(_ text: String) { self.text = text }

    init?(parameterText: String) { self.init(parameterText) }

    var parameterText: String { text }

    init(json: JSONElement) throws(JSONError) { self.init(try json.string()) }

    func write(to writer: inout JSONWriter) { writer.string(text) }
}

/// A type of the user that is only `Codable`, in place of the schema `Frame`.
struct PictureFrame: Codable, Hashable, Sendable {
    var wood: String
    var width: Int?
}
