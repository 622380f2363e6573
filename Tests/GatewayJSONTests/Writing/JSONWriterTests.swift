import GatewayJSON
import Testing

@Suite struct JSONWriterTests {
    @Test func commasComeByThemselves() throws {
        let value: JSONValue = ["b": [1, [], [2, nil], [:]], "a": ["x": true], "c": "{"]
        #expect(
            String(decoding: try value.jsonBytes(), as: UTF8.self)
                == #"{"a":{"x":true},"b":[1,[],[2,null],{}],"c":"{"}"#)
    }

    @Test func stringsEndingLikeStructureGetTheirComma() throws {
        #expect(
            String(decoding: try ["{", "[", ":", ","].jsonBytes(), as: UTF8.self) == #"["{","[",":",","]"#)
    }

    @Test(arguments: ["", "plain", "\"\\/", "\u{0}\u{1}\u{1F}\u{7F}", "\n\r\t", "é😀\u{2028}", "a\u{301}"])
    func stringsRoundTrip(text: String) throws {
        let bytes = try text.jsonBytes()
        #expect(bytes.allSatisfy { $0 >= 0x20 })
        #expect(try String(jsonBytes: bytes).unicodeScalars.elementsEqual(text.unicodeScalars))
    }

    @Test func membersOfOptionalArraysRoundTrip() throws {
        let value: [Int?] = [1, nil]
        #expect(try [Int?](jsonBytes: try value.jsonBytes()) == value)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity]) func whatIsNotFiniteIsRefused(value: Double) {
        do throws(JSONError) {
            _ = try [value].jsonBytes()
            Issue.record("accepted")
        } catch {
            #expect(error.code == .notRepresentable)
        }
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity]) func literalsThatAreNotFiniteAreRefused(
        value: Double
    ) {
        for json in [JSONValue(floatLiteral: value), [JSONValue(floatLiteral: value)]] {
            let error = #expect(throws: JSONError.self) { try json.jsonBytes() }
            #expect(error?.code == .notRepresentable)
        }
    }

    @Test(arguments: [0.1, 1e300, -2.5e-308, 123_456_789.123, 1]) func doublesRoundTrip(value: Double) throws
    {
        #expect(try Double(jsonBytes: try value.jsonBytes()) == value)
    }

    @Test func integersAreWrittenDigitForDigit() throws {
        var values: [Int64] = [0, 1, -1, 9, 10, -10, 99, 100, .max, .min]
        var power: Int64 = 1
        for _ in 0..<18 {
            power *= 10
            values += [power - 1, power, power + 1, -power]
        }
        for value in values {
            #expect(String(decoding: try value.jsonBytes(), as: UTF8.self) == String(value))
        }
        let large: [UInt64] = [.max, .max - 1, 10_000_000_000_000_000_000, 9_999_999_999_999_999_999]
        for value in large {
            #expect(String(decoding: try value.jsonBytes(), as: UTF8.self) == String(value))
        }
    }

    @Test func namesAreEscaped() throws {
        let value: JSONValue = ["a\"b\n": 1, "\u{1}é": [:]]
        #expect(try JSONValue(jsonBytes: value.jsonBytes()) == value)
    }
}
