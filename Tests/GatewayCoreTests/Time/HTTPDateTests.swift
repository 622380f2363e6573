import Testing

@testable import GatewayCore

/// RFC 9110 §5.6.7.
@Suite struct HTTPDateTests {
    @Test(
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (.min, "Mon, 01 Jan 0001 00:00:00 GMT"), (.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ] as [(Int64, String)])
    func aTimeAsText(time: Int64, text: String) {
        #expect(HTTPDate.format(time) == text)
    }

    @Test func whatIsWrittenIsRead() {
        for day in stride(from: Int64(-700_000), to: 2_900_000, by: 997) {
            let time = day * 86_400 + (day % 1_440) * 59
            #expect(HTTPDate.parse(HTTPDate.format(time), unixTime: .zero) == time)
        }
    }
}
