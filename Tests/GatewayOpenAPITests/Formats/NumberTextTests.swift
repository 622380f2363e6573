import FoundationEssentials
import GatewayCore
import GatewayJSON
@_spi(Generated) import GatewayOpenAPI
import Testing

@Suite struct NumberTextTests {
    @Test func integersInStringsAreExact() throws {
        let value = try AsText<Int64>(jsonBytes: Array("\"9007199254740993\"".utf8))
        #expect(value.value == 9_007_199_254_740_993)
        #expect(String(decoding: try value.jsonBytes(), as: UTF8.self) == "\"9007199254740993\"")
        #expect(try AsText<Int64>(jsonBytes: Array("7".utf8)) == 7)
        #expect(throws: JSONError.self) { try AsText<Int64>(jsonBytes: Array("\"7.5\"".utf8)) }
    }

    @Test func decimalsInStringsAreExact() throws {
        let value = try AsText<Decimal>(jsonBytes: Array("\"0.1\"".utf8))
        #expect(value.value + value.value + value.value == Decimal(string: "0.3"))
    }

    @Test(arguments: ["0.10", "100", "1.50e3", "-0", "123456789012345678901234567890123456789.5"])
    func decimalsInStringsKeepTheirText(text: String) throws {
        var value = try AsText<Decimal>(jsonBytes: Array("\"\(text)\"".utf8))
        #expect(String(decoding: try value.jsonBytes(), as: UTF8.self) == "\"\(text)\"")
        #expect(value.parameterText == text)
        value.value = 0.5
        #expect(value.parameterText == "0.5")
    }

    @Test func numbersInStringsPrintTheirText() throws {
        let value = try AsText<Decimal>(jsonBytes: Array("\"0.10\"".utf8))
        #expect("\(value) \(AsText<Int64>(7))" == "0.10 7")
    }

    @Test(arguments: ["12.90", "1.50e3", "1E+2", "-0", "-0.00", "0e5", "100.000"])
    func aNumberFromTextKeepsIt(text: String) throws {
        let number = try #require(AsText<Decimal>(text))
        #expect("\(number)" == text && number.parameterText == text)
        #expect(try number.jsonBytes() == Array("\"\(text)\"".utf8))
        #expect("\(["a": number])" == "[\"a\": \(text)]" && "\([number])" == "[\(text)]")
        #expect(try [String: AsText<Decimal>](jsonBytes: ["a": number].jsonBytes())["a"]?.description == text)
        let fields: HTTPFields = ["X-Amount": text]
        #expect(fields.documented("X-Amount", AsText<Decimal>.self)?.description == text)
    }

    @Test(arguments: ["", " 1", "+1", "1,5", "0x1", "NaN", "1e400", "12.90 EUR"])
    func whatIsNoNumber(text: String) {
        #expect(AsText<Decimal>(text) == nil)
    }

    @Test func numbersInStringsAreEqualByTheirValue() {
        let one = AsText<Decimal>(parameterText: "0.10")
        let other = AsText<Decimal>(parameterText: "0.1")
        #expect(one == other)
        #expect(one?.hashValue == other?.hashValue)
        #expect(AsText<Int64>(parameterText: "7") != AsText<Int64>(parameterText: "8"))
    }

    @Test(arguments: ["P1Y2M3DT4H5M6.5S", "P2W", "PT1H30M", "PT0S", "P1DT12H", "PT36H", "P3M", "PT3M"])
    func durationsRoundTrip(text: String) throws {
        #expect(try #require(CalendarDuration(text)).description == text)
    }

    @Test(arguments: [
        "", "P", "PT", "P1", "1D", "P1S", "PT1D", "P1DT", "P1M1Y", "P-1D", "PT.5S", "P1.5D", "P1H",
    ])
    func whatIsNoDuration(text: String) {
        #expect(CalendarDuration(text) == nil)
    }
}
