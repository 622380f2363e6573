import Foundation
import GatewayJSON
import GatewayOpenAPI
import Testing

@Suite struct FormatTests {
    private func read<Value: JSONDecodable>(_ text: String, _: Value.Type) throws(JSONError) -> Value {
        try Value(jsonBytes: try text.jsonBytes())
    }

    private func written(_ value: some JSONEncodable) throws -> String {
        try String(jsonBytes: try value.jsonBytes())
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0.0, "1970-01-01T00:00:00Z"),
        ("1970-01-01T00:00:00.5Z", 0.5, "1970-01-01T00:00:00.500Z"),
        ("2024-02-29T12:00:00.123Z", 1_709_208_000.123, "2024-02-29T12:00:00.123Z"),
        ("2024-02-29T12:00:00.123456+00:00", 1_709_208_000.123456, "2024-02-29T12:00:00.123456Z"),
        ("2024-02-29T12:00:00.123456789123456789Z", 1_709_208_000.123457, "2024-02-29T12:00:00.123457Z"),
        ("2024-02-29t23:30:00-01:30", 1_709_254_800.0, "2024-03-01T01:00:00Z"),
        ("2016-12-31T23:59:60Z", 1_483_228_800.0, "2017-01-01T00:00:00Z"),
        ("1969-12-31T23:59:59.999Z", -0.001, "1969-12-31T23:59:59.999Z"),
        ("0000-01-01T00:00:00Z", -62_167_219_200.0, "0000-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59Z", 253_402_300_799.0, "9999-12-31T23:59:59Z"),
    ]) func datesRoundTrip(text: String, seconds: Double, back: String) throws {
        let date = try read(text, Date.self)
        #expect(abs(date.timeIntervalSince1970 - seconds) < 0.000_002)
        #expect(try written(date) == back)
        // More digits than microseconds are not written.
        let isWhole = !text.contains("123456789")
        #expect((try read(back, Date.self) == date) == isWhole)
    }

    /// Milliseconds of all years, and microseconds of the years near this one.
    @Test(arguments: [
        "9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.001Z", "0000-01-01T00:00:00.001Z",
        "5138-11-16T09:46:39.007Z",
        "2273-01-01T00:00:00.123457Z", "1729-12-31T23:59:59.999999Z",
    ])
    func fractionsOfFarDatesAreKept(text: String) throws {
        #expect(try written(try read(text, Date.self)) == text)
    }

    /// The largest time of other platforms, in more digits than a `Date` holds.
    @Test(arguments: ["9999-12-31T23:59:59.9999999Z", "9999-12-31T23:59:59.999999999999999999+00:00"])
    func theLastInstantStaysInItsYear(text: String) throws {
        let back = try written(try read(text, Date.self))
        #expect(back.hasPrefix("9999-12-31T23:59:59.9999"))
        #expect(try written(try read(back, Date.self)) == back)
    }

    @Test(arguments: [
        ("PT0.00001S", "PT0.00001S"), ("P1DT0.0000001234S", "P1DT0.0000001234S"), ("PT6.50S", "PT6.5S"),
        ("PT123456789012345678901234567890S", "PT123456789012345680000000000000S"), ("PT0S", "PT0S"),
        ("P1Y2M3W4DT5H6M7S", "P1Y2M3W4DT5H6M7S"),
    ]) func durationsRoundTrip(text: String, back: String) throws {
        let duration = try read(text, CalendarDuration.self)
        #expect(try written(duration) == back)
        #expect(try read(back, CalendarDuration.self) == duration)
    }

    @Test func whatIsNoDurationIsRefused() {
        let texts = ["", "P", "PT", "P1", "P1S", "PT1D", "P1DT", "PT1e5S", "PT.5S", "PT5.S", "-P1D", "P1.5D"]
        for text in texts + ["PT" + String(repeating: "9", count: 400) + "S"] {
            #expect(throws: JSONError.self) { try read(text, CalendarDuration.self) }
        }
    }

    @Test(arguments: [
        "", "2024-02-30T00:00:00Z", "2023-02-29T00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T00:60:00Z",
        "2024-01-01T00:00:61Z", "2024-01-01T00:00:00", "2024-01-01T00:00:00.Z", "2024-01-01",
        "2024-1-1T00:00:00Z",
        "2024-01-01T00:00:00+0100", "2024-01-01T00:00:00Zx", "2024-13-01T00:00:00Z", "+024-01-01T00:00:00Z",
    ]) func whatIsNoDateIsRefused(text: String) {
        do throws(JSONError) {
            _ = try read(text, Date.self)
            Issue.record("accepted")
        } catch {
            #expect(error.code == .wrongFormat)
            #expect(error.message.contains("\"formats: { date-time: String }\" in the configuration"))
        }
    }

    @Test(arguments: ["31.12.2024", "2024-1-31", "2024-01-31T00:00:00Z"])
    func aDayInAnotherFormNamesTheWayOut(text: String) {
        let error = #expect(throws: JSONError.self) { try read(text, CalendarDate.self) }
        #expect(error?.code == .wrongFormat)
        #expect(error?.message.contains("\"formats: { date: String }\" in the configuration") == true)
    }

    @Test func daysAgreeWithTheCalendar() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        for day in stride(from: -20_000, through: 80_000, by: 37) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400)
            let parts = calendar.dateComponents([.year, .month, .day], from: date)
            let expected = CalendarDate(
                year: parts.year ?? 0, month: parts.month ?? 0, day: parts.day ?? 0)
            #expect(try written(date) == "\(try #require(expected))T00:00:00Z")
        }
    }

    @Test func otherFormats() throws {
        #expect(try read("2024-02-29", CalendarDate.self).description == "2024-02-29")
        #expect(CalendarDate("2023-02-29") == nil)
        #expect(CalendarDate("2024-2-29") == nil)
        let id = try read("0191E2C2-7B5A-7C3E-8F00-0123456789ab", UUID.self)
        #expect(try written(id) == "0191e2c2-7b5a-7c3e-8f00-0123456789ab")
        #expect(throws: JSONError.self) { try read("0191E2C2", UUID.self) }
        #expect(try read("https://a.test/x?y#z", URL.self).host() == "a.test")
        #expect(try read("AAEC/w==", Base64Data.self) == [0, 1, 2, 255])
        #expect(try written(Base64Data([0, 1, 2, 255])) == "AAEC/w==")
        #expect(throws: JSONError.self) { try read("AAEC/w", Base64Data.self) }
    }

    /// Also one that is empty or no URI.
    @Test(arguments: [
        "", " ", "http://a.test/%7e%7E?q=é |", "http://a.test/a%2fb%252F", "HTTP://A.test:80/../x", "../x y#",
        "mailto:a@b", "{+path}/x", "http://[::1", "e\u{301}\u{e9}",
    ])
    func urisKeepTheirSpelling(text: String) throws {
        let uri = try read(text, URI.self)
        for other in [try written(uri), uri.text, uri.parameterText, uri.description] {
            #expect(other.utf8.elementsEqual(text.utf8))
        }
        #expect(URI(parameterText: text) == uri && URI(text) == uri)
        #expect(throws: JSONError.self) { try URI(jsonBytes: Array("1".utf8)) }
    }

    @Test func urisAreComparedByTheirCharacters() throws {
        #expect(URI("\u{e9}") != URI("e\u{301}"))
        #expect(Set<URI>(["/~a", "/%7Ea", "/~a"]).count == 2)
        let uri: URI = "https://a.test/x?y#z"
        #expect(uri.url?.host() == "a.test" && URI("").url == nil)
        #expect(URI(try #require(uri.url)) == uri)
    }

    /// Each alphabet has two characters that the other lacks.
    @Test func theTwoAlphabetsOfBase64AreToldApart() throws {
        let bytes: [UInt8] = [0xFB, 0xFF, 0xBF, 1]
        #expect(try read("-_-_AQ", Base64URLData.self) == Base64URLData(bytes))
        #expect(try read("-_-_AQ==", Base64URLData.self) == Base64URLData(bytes))
        #expect(try written(Base64URLData(bytes)) == "-_-_AQ")
        #expect(Base64URLData(bytes).parameterText == "-_-_AQ")
        #expect(Base64URLData(parameterText: "-_-_AQ") == Base64URLData(bytes))
        #expect(try read("+/+/AQ==", Base64Data.self) == Base64Data(bytes))
        for text in ["+/+/AQ", "-_-_A", "-_-_AQ=", "-_-_AQ===", "====", "-_-_AR"] {
            #expect(throws: JSONError.self) { try read(text, Base64URLData.self) }
        }
        #expect(throws: JSONError.self) { try read("-_-_AQ==", Base64Data.self) }
        #expect(try read("", Base64URLData.self) == [])
    }

    @Test func identifiersRoundTrip() throws {
        for _ in 0..<200 {
            let id = UUID()
            #expect(try written(id) == id.uuidString.lowercased())
            #expect(try read(id.uuidString, UUID.self) == id)
            #expect(UUID(parameterText: id.parameterText) == id)
        }
        // A string is the same however it is written.
        let escaped = #""\u0030191e2c2-7b5a-7c3e-8f00-0123456789ab""#
        #expect(
            try UUID(jsonBytes: Array(escaped.utf8))
                == UUID(uuidString: "0191E2C2-7B5A-7C3E-8F00-0123456789AB"))
        for text in [
            "0191e2c27b5a7c3e8f000123456789ab", "0191e2c2-7b5a-7c3e-8f00-0123456789ab ",
            "0191e2c2-7b5a-7c3e-8f00-0123456789ag", "0191e2c2-7b5a-7c3e-8f00-0123456789a",
            " 191e2c2-7b5a-7c3e-8f00-0123456789ab", "+191e2c2-7b5a-7c3e-8f00-0123456789ab",
            "0191e2c27-b5a-7c3e-8f00-0123456789ab", "0191e2c2-7b5a-7c3e-8f00_0123456789ab", "",
        ] {
            #expect(throws: JSONError.self) { try read(text, UUID.self) }
            #expect(UUID(parameterText: text) == nil)
        }
    }

    @Test(arguments: ["0.1", "123456789.123456789", "-1E+3", "99999999999999999999999999999999999999"])
    func decimalsAreExact(text: String) throws {
        let value = try Decimal(jsonBytes: Array(text.utf8))
        #expect(value == Decimal(string: text))
        #expect(value == Decimal(parameterText: text))
        #expect(Decimal(parameterText: text + "x") == nil)
        #expect(try Decimal(jsonBytes: try value.jsonBytes()) == value)
    }
}
