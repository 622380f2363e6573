import BookshopAPI
import GatewayClient

// Types of the page on generated clients, so that they are compiled; scripts/check-readme.sh compares the two.

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
public struct Currency: JSONCodable, ParameterValue, Hashable, Sendable {
    public var code: String

    public init?(parameterText: String) {
        guard parameterText.utf8.count == 3 else { return nil }
        code = parameterText
    }

    public var parameterText: String { code }

    public init(json: JSONElement) throws(JSONError) {
        guard let value = Self(parameterText: try json.string()) else {
            throw json.wrongFormat("a currency")
        }
        self = value
    }

    public func write(to writer: inout JSONWriter) { writer.string(code) }
}

/// A union as the generator writes it for `anyOf`.
enum Payment {
    struct Card {
        var number: String
        var unknownProperties: UnknownProperties
    }

    case card(Card)
    case unrecognized(JSONValue)
}

func cardAndAccount(_ payment: Payment) {
    guard case .card(let card) = payment else { return }
    print(card.number, card.unknownProperties["iban"] ?? .null)
}
