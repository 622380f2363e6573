import GatewayJSON
import Testing

@Suite struct DecimalPartsTests {
    @Test(arguments: [
        ("0", "", 0), ("-0.000e5", "", 0), ("120", "12", 1), ("-12.50e3", "-125", 2), ("0.0012", "12", -4),
        ("1E+2", "1", 2), ("1e-9223372036854775808", "1", .min), ("0e99999999999999999999", "", 0),
        ("123456789012345678901234567890", "12345678901234567890123456789", 1),
    ])
    func zerosAtTheEndsAreInThePower(text: String, digits: String, power: Int) throws {
        let parts = try #require(DecimalParts(text))
        let sign = parts.isNegative && !parts.digits.isEmpty ? "-" : ""
        #expect(sign + String(decoding: parts.digits, as: UTF8.self) == digits)
        #expect(parts.power == power)
    }

    @Test(arguments: ["1e99999999999999999999", "10e9223372036854775807", "0.1e-9223372036854775808"])
    func powersAreIntegers(text: String) { #expect(DecimalParts(text) == nil) }
}
