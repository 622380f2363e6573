import GatewayCore
import Testing

@Suite struct RetryAfterTests {
    /// 1994-11-06T08:49:00Z.
    private static let now = Duration.seconds(784_111_740)

    @Test(
        arguments: [
            ("120", 120), ("0", 0), ("-5", 0), (" 7 ", 7), ("1.2", 2), ("1e19", 86_400), ("-1e19", 0),
            ("99999999999999999999", 86_400),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 37), ("Sunday, 06-Nov-94 08:49:37 GMT", 37),
            ("Sun Nov  6 08:49:37 1994", 37), ("Sun, 06 Nov 1994 08:48:37 GMT", 0),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 86_400), ("soon", nil), ("", nil), ("nan", nil), ("inf", nil),
            ("Sun, 06 Nov 1994", nil), ("Sun, 32 Nov 1994 08:49:37 GMT", nil),
            ("Sun, 06 Nov 1994 25:49:37 GMT", nil), ("Sun, 06 Now 1994 08:49:37 GMT", nil), ("0x10", nil),
        ] as [(String, Int?)])
    func bothFormsAreClamped(value: String, seconds: Int?) {
        #expect(RetryAfter.parse(value, unixTime: Self.now) == seconds.map { .seconds($0) })
    }

    /// Servers write the zone as RFC 5322 does.
    @Test(arguments: ["GMT", "gmt", "UTC", "+0000", "-0000"])
    func otherNamesOfTheZoneAreUnderstood(zone: String) {
        for date in ["Sun, 06 Nov 1994 08:49:37 ", "Sunday, 06-Nov-94 08:49:37 "] {
            #expect(RetryAfter.parse(date + zone, unixTime: Self.now) == .seconds(37))
            // Other dates of HTTP are read strictly.
            let isStrict = zone.lowercased() == "gmt"
            #expect((HTTPDate.parse(date + zone, unixTime: Self.now) != nil) == isStrict)
        }
    }

    @Test(arguments: ["+0100", "+000", "+00000", "0000", "Z", "UTCX", "CET", ""])
    func otherZonesAreNot(zone: String) {
        #expect(RetryAfter.parse("Sun, 06 Nov 1994 08:49:37 " + zone, unixTime: Self.now) == nil)
    }
}
