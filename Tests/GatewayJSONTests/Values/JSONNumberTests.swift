import GatewayJSON
import Testing

@Suite struct JSONNumberTests {
    @Test(arguments: [
        ("0", 0), ("-0", 0), ("1.0", 1), ("1e3", 1_000), ("12.50e1", 125), ("-1.2e1", -12),
        ("0e999999999999", 0),
        ("0.0e-99999999999999999999", 0), ("9223372036854775807", Int.max), ("-9223372036854775808", Int.min),
        ("9007199254740993", 9_007_199_254_740_993), ("9.007199254740993e15", 9_007_199_254_740_993),
        ("100e-2", 1),
    ]) func integersAreExact(text: String, value: Int) throws {
        #expect(try Int(jsonBytes: Array(text.utf8)) == value)
    }

    @Test(arguments: [
        "1.5", "1e-1", "9223372036854775808", "-9223372036854775809", "1e19", "1e400",
        "1e99999999999999999999",
        "1e-99999999999999999999", "1e9223372036854775807", "0.1e-9223372036854775808",
    ]) func whatIsNoIntegerIsRefused(text: String) {
        do throws(JSONError) {
            _ = try Int(jsonBytes: Array(text.utf8))
            Issue.record("accepted")
        } catch {
            #expect(error.code == .outOfRange)
        }
    }

    @Test func unsignedIntegersReachTheirMaximum() throws {
        #expect(try UInt64(jsonBytes: Array("18446744073709551615".utf8)) == .max)
        #expect(throws: JSONError.self) { try UInt64(jsonBytes: Array("-1".utf8)) }
        #expect(throws: JSONError.self) { try Int32(jsonBytes: Array("2147483648".utf8)) }
    }

    @Test(arguments: ["0.1", "-1.7976931348623157e308", "5e-324", "1.0", "123456789.123456789", "1e-400"])
    func doublesAreTheNearest(text: String) throws {
        #expect(try Double(jsonBytes: Array(text.utf8)) == Double(text))
    }

    @Test func tooLargeADoubleIsRefused() {
        #expect(throws: JSONError.self) { try Double(jsonBytes: Array("1e309".utf8)) }
        #expect(throws: JSONError.self) { try Float(jsonBytes: Array("1e39".utf8)) }
    }

    @Test func theTextIsKept() throws {
        let value = try JSONValue(
            jsonBytes: Array("[1.10,1E2,1e400,0.1000000000000000055511151231257827]".utf8))
        #expect(
            String(decoding: try value.jsonBytes(), as: UTF8.self)
                == "[1.10,1E2,1e400,0.1000000000000000055511151231257827]")
    }

    @Test func onlyNumbersAreNumbers() {
        #expect(JSONNumber("12.5")?.text == "12.5")
        for text in ["", "01", " 1", "1 ", "abc", "\"1\"", "1,2"] { #expect(JSONNumber(text) == nil) }
    }
}
