import GatewayJSON
import TestTiers
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

    @Test(arguments: ["0", "-0", "1.0", "0.10", "1E+2", "1e400", "9007199254740993", "36893488147419103233"])
    func numbersKeepTheirText(text: String) throws {
        let number = try JSONNumber(jsonBytes: Array(text.utf8))
        #expect(String(decoding: try number.jsonBytes(), as: UTF8.self) == text)
        #expect(throws: JSONError.self) { try JSONNumber(jsonBytes: Array("\"\(text)\"".utf8)) }
    }

    @Test func numbersAreMadeOfLiterals() throws {
        #expect(9_007_199_254_740_993 as JSONNumber == JSONNumber("9007199254740993"))
        #expect(0.5 as JSONNumber == JSONNumber("0.5") && JSONNumber(1e100).double == 1e100)
        #expect(throws: JSONError.self) { try JSONNumber(Double.infinity).jsonBytes() }
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

    /// Short numbers have a way of their own: where it ends, and in it, nothing is rounded twice.
    @Test func shortDoublesAreTheNearest() throws {
        var texts = [
            "0", "-0", "-0.0", "0e5", "0e999", "1e22", "1e23", "1e-22", "1e-23", "9007199254740992",
            "9007199254740993", "9007199254740993e-1", "-9007199254740991e22", "123456789012345678",
            "1234567890123456789", "0.000000000000000001", "0.0000000000000000000000001", "1E+5", "1e+22",
            "4.35", "0.3", "2.675", "1.005", "100.0", "1e100", "1e-100", "1e00000000000000000000005",
        ]
        var random = RepeatableRandom(seed: 0)
        for _ in 0..<1_000 {
            let digits = UInt64.random(
                in: 0...UInt64(1) << UInt64.random(in: 1...60, using: &random), using: &random)
            texts.append("\(digits).\(UInt32.random(in: 0...99_999, using: &random))")
            texts.append("-\(digits)e\(Int.random(in: -30...30, using: &random))")
        }
        for text in texts {
            let expected = try #require(Double(text))
            #expect(try Double(jsonBytes: Array(text.utf8)).bitPattern == expected.bitPattern, "\(text)")
            #expect(JSONNumber(text)?.double.bitPattern == expected.bitPattern, "\(text)")
        }
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
