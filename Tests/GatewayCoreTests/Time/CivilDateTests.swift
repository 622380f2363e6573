import Testing

@testable import GatewayCore

/// Days of the calendar, which dates of HTTP, of JSON, of logs and of commands share.
@Suite struct CivilDateTests {
    @Test(
        arguments: [
            (0, 1970, 1, 1), (-1, 1969, 12, 31), (11_016, 2000, 2, 29), (11_017, 2000, 3, 1),
            (47_540, 2100, 2, 28), (47_541, 2100, 3, 1), (-719_468, 0, 3, 1), (-719_528, 0, 1, 1),
            (2_932_896, 9_999, 12, 31), (-719_529, -1, 12, 31),
        ] as [(Int64, Int64, Int64, Int64)])
    func daysAreDates(days: Int64, year: Int64, month: Int64, day: Int64) {
        let date = CivilDate(daysSince1970: days)
        #expect((date.year, date.month, date.day) == (year, month, day))
        #expect(date.daysSince1970 == days)
    }

    /// The calendar repeats itself after 400 years of 146,097 days.
    @Test func whatIsADateIsReadBack() {
        var last = CivilDate(daysSince1970: -146_098)
        var wrong: [Int64] = []
        for days in Int64(-146_097)...146_097 {
            let date = CivilDate(daysSince1970: days)
            if CivilDate(year: date.year, month: date.month, day: date.day)?.daysSince1970 != days
                || (last.year, last.month, last.day) >= (date.year, date.month, date.day)
            {
                wrong.append(days)
            }
            last = date
        }
        #expect(wrong.isEmpty)
    }

    @Test func whatIsNoDateIsNone() {
        for (year, month, day) in [
            (2026, 2, 29), (2100, 2, 29), (2026, 4, 31), (2026, 0, 1), (2026, 13, 1), (2026, 1, 0),
            (2026, 1, 32), (.max, 1, 1), (.min, 1, 1), (2026, .max, 1), (2026, 1, .min),
        ] as [(Int64, Int64, Int64)] {
            #expect(CivilDate(year: year, month: month, day: day) == nil)
        }
        #expect(CivilDate(daysSince1970: .max).year > 9_999 && CivilDate(daysSince1970: .min).year < 0)
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00"), (951_782_400, "2000-02-29T00:00:00"),
            (4_107_542_399, "2100-02-28T23:59:59"), (4_107_542_400, "2100-03-01T00:00:00"),
            (1_798_761_599, "2026-12-31T23:59:59"), (-1, "1969-12-31T23:59:59"),
        ] as [(Int64, String)])
    func timesAreInUTC(seconds: Int64, text: String) {
        #expect(CivilDate.timestamp(.seconds(seconds)) == text + "Z")
        #expect(CivilDate.timestamp(.seconds(seconds), showsMilliseconds: true) == text + ".000Z")
        let later = Duration.seconds(seconds) + .microseconds(7_999)
        #expect(CivilDate.timestamp(later, showsMilliseconds: true).hasSuffix(seconds < 0 ? "Z" : ".007Z"))
        #expect(CivilDate.timestamp(.seconds(Int64.max)).hasSuffix("Z"))
    }
}
