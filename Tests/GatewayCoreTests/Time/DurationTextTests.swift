import GatewayCore
import Testing

@Suite struct DurationTextTests {
    @Test(
        arguments: [
            (.zero, "0 ms"), (.microseconds(250), "0.25 ms"), (.nanoseconds(1), "0 ms"),
            (.milliseconds(1), "1 ms"),
            (.milliseconds(500), "500 ms"), (.milliseconds(999), "999 ms"), (.seconds(1), "1 s"),
            (.milliseconds(1500), "1.5 s"), (.milliseconds(10_050), "10.05 s"), (.seconds(10), "10 s"),
            (.seconds(60), "60 s"), (.seconds(90), "90 s"), (.seconds(120), "2 min"),
            (.seconds(150), "150 s"),
            (.seconds(3600), "1 h"), (.seconds(5400), "90 min"), (.seconds(86_400), "24 h"),
            (.milliseconds(-250), "-250 ms"), (.milliseconds(-1500), "-1.5 s"), (.seconds(-120), "-2 min"),
            (.seconds(Int64.max), "87658200 h"), (.seconds(Int64.min), "-87658200 h"),
        ] as [(Duration, String)])
    func durationsAreWrittenWithAUnit(duration: Duration, expected: String) {
        #expect(duration.text == expected)
    }
}
