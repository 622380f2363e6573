import FoundationEssentials
import GatewayJSON
import GatewayOpenAPI
import Testing

@Suite struct CodableValueTests {
    private struct Money: Codable, Hashable, Sendable {
        var amount: Decimal
        var currency: String
        var paid: Date?
    }

    private enum Size: String, Codable, Sendable {
        case small, large
    }

    private struct Endless: Codable, Sendable {
        var number = Double.infinity
    }

    @Test func valuesAreCodedByTheirType() throws {
        let json = #"{"amount":12.3456789012345678901,"currency":"EUR","paid":"2024-02-29T12:00:00Z"}"#
        let value = try CodableValue<Money>(jsonBytes: Array(json.utf8))
        #expect(value.value.amount == Decimal(string: "12.3456789012345678901"))
        #expect(String(decoding: try value.jsonBytes(), as: UTF8.self) == json)
        #expect(throws: JSONError.self) { try CodableValue<Money>(jsonBytes: Array("{}".utf8)) }
        #expect(throws: JSONError.self) { try CodableValue(Endless()).jsonBytes() }
    }

    @Test func scalarsAreParameters() {
        #expect(CodableValue(Size.large).parameterText == "large")
        #expect(CodableValue<Size>(parameterText: "small")?.value == .small)
        #expect(CodableValue<Int>(parameterText: "12")?.value == 12)
        #expect(CodableValue<Size>(parameterText: "other") == nil)
        #expect(!CodableValue(Money(amount: 1, currency: "EUR")).hasParameterText)
    }

    @Test func membersAreThoseOfTheValue() {
        var value = CodableValue(Money(amount: 1, currency: "EUR"))
        value.currency = "USD"
        #expect(value.currency == "USD")
        #expect(value == CodableValue(Money(amount: 1, currency: "USD")))
    }
}
