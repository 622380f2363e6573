import GatewayCore
import Testing

@Suite struct TraceContextTests {
    private let valid = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    @Test func whatIsReadIsWritten() throws {
        let trace = try #require(TraceContext(traceparent: valid, tracestate: ["a=1", "b=2"]))
        #expect(trace.traceIDHigh == 0x0af7_6519_16cd_43dd && trace.traceIDLow == 0x8448_eb21_1c80_319c)
        #expect(trace.spanID == 0xb7ad_6b71_6920_3331 && trace.isSampled && trace.state == "a=1,b=2")
        #expect(trace.traceparent == valid)
        #expect(trace.at(spanID: 1)?.traceparent == "00-0af7651916cd43dd8448eb211c80319c-0000000000000001-01")
        #expect(trace.at(spanID: 0) == nil)
    }

    @Test(arguments: [
        "", "00", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319cb-7ad6b7169203331-01",
        "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01x",
    ])
    func whatIsInvalidIsNotRead(traceparent: String) {
        #expect(TraceContext(traceparent: traceparent) == nil)
    }

    @Test func flagsWithoutAMeaningAreNotPassedOn() {
        let trace = TraceContext(traceparent: valid.dropLast(2) + "ff")
        #expect(trace?.flags == 3 && trace?.traceparent == valid.dropLast(2) + "03")
    }

    @Test func ofALaterVersionTheFirstPartsAreRead() {
        let later = "01" + valid.dropFirst(2) + "-what-is-new"
        #expect(TraceContext(traceparent: later)?.traceparent == valid)
    }

    @Test(arguments: [
        "no equals sign", "a=1\u{7}", (1...33).map { "a\($0)=1" }.joined(separator: ","),
    ])
    func aStateThatIsInvalidIsDropped(state: String) {
        #expect(TraceContext(traceparent: valid, tracestate: [state])?.state == "")
    }
}
