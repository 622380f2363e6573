import GatewayCore
import Testing

/// The fields of incoming requests, as W3C Trace Context requires and its harness tries them.
@Suite struct TraceFieldTests {
    private static let parent = "00-12345678901234567890123456789012-1234567890123456-01"
    private static let body = "-12345678901234567890123456789012-1234567890123456-"

    struct ParentCase: Sendable {
        let values: [String]
        /// The flags that are passed on; `nil` if a new trace begins.
        let flags: UInt8?
    }

    private static func valid(_ value: String, flags: UInt8 = 1) -> ParentCase {
        ParentCase(values: [value], flags: flags)
    }

    private static func invalid(_ values: String...) -> ParentCase { ParentCase(values: values, flags: nil) }

    static let parents: [ParentCase] = [
        valid(parent), valid("00\(body)00", flags: 0), valid("00\(body)02", flags: 2),
        valid("00\(body)03", flags: 3), valid("00\(body)ff", flags: 3), valid("00\(body)fc", flags: 0),
        valid(" \(parent)"), valid("\t\(parent)"), valid("\(parent) \t"), valid("cc\(body)01"),
        valid("cc\(body)01-what-the-future-will-be-like"), valid("01\(body)01-"),
        invalid(), invalid(""), invalid(parent, parent), invalid("00\(body)01."), invalid("00\(body)01-"),
        invalid("00\(body)01-what-the-future-will-be-like"), invalid("cc\(body)01.what"),
        invalid("ff\(body)01"), invalid(".0\(body)01"), invalid("0.\(body)01"), invalid("000\(body)01"),
        invalid("0000\(body)01"), invalid("0\(body)01"),
        invalid("00-00000000000000000000000000000000-1234567890123456-01"),
        invalid("00-.2345678901234567890123456789012-1234567890123456-01"),
        invalid("00-1234567890123456789012345678901.-1234567890123456-01"),
        invalid("00-123456789012345678901234567890123-1234567890123456-01"),
        invalid("00-1234567890123456789012345678901-1234567890123456-01"),
        invalid("00-12345678901234567890123456789012-0000000000000000-01"),
        invalid("00-12345678901234567890123456789012-.234567890123456-01"),
        invalid("00-12345678901234567890123456789012-12345678901234567-01"),
        invalid("00-12345678901234567890123456789012-123456789012345-01"),
        invalid("00\(body).0"), invalid("00\(body)0."), invalid("00\(body)001"), invalid("00\(body)1"),
        invalid("00-ABCDEF78901234567890123456789012-1234567890123456-01"), invalid(parent + "\u{E9}"),
    ]

    @Test(arguments: parents)
    func aTraceIsContinuedOrBegun(trial: ParentCase) {
        var fields = HTTPFields()
        for value in trial.values { fields.append("TraceParent", value) }
        let trace = TraceContext(fields: fields)
        #expect(trace?.flags == trial.flags)
        if let trace {
            #expect(trace.traceIDHigh == 0x1234_5678_9012_3456 && trace.spanID == 0x1234_5678_9012_3456)
            #expect(trace.traceparent == "00\(Self.body)0\(trace.flags)")
        }
    }

    struct StateCase: Sendable {
        let values: [String]
        /// What is passed on.
        let state: String
    }

    private static func kept(_ values: String..., as state: String? = nil) -> StateCase {
        StateCase(values: values, state: state ?? values.joined(separator: ","))
    }

    private static func dropped(_ values: String...) -> StateCase { StateCase(values: values, state: "") }

    private static let characters = "abcdefghijklmnopqrstuvwxyz0123456789_-*/"
    private static let visible = String(
        decoding: (0x20...0x7E as ClosedRange<UInt8>).filter { $0 != 0x2C && $0 != 0x3D }, as: UTF8.self)
    private static let members = (1...32).map { "bar\($0)=\($0)" }

    static let states: [StateCase] = [
        kept(), kept("", as: ""), kept("foo=1"), kept("foo=1,bar=2"), kept("foo=1", "", as: "foo=1"),
        kept("", "foo=1", as: "foo=1"), kept("foo=1,bar=2", "rojo=1,congo=2", "baz=3"),
        kept("foo=1 \t , \t bar=2, \t baz=3", as: "foo=1,bar=2,baz=3"), kept("\t foo=1 \t", as: "foo=1"),
        kept("foo=1,,bar=2", as: "foo=1,bar=2"), kept("\(characters)=\(visible)"),
        kept("\(characters)@a-z0-9_-*/=\(visible)"), kept("0foo=1"),
        kept(members.joined(separator: ",")), kept(String(repeating: "z", count: 256) + "=1"),
        kept(String(repeating: "t", count: 241) + "@" + String(repeating: "v", count: 14) + "=1"),
        kept("foo=" + String(repeating: "v", count: 256)), kept("foo@=1,bar=2"), kept("foo@@bar=1,bar=2"),
        kept("foo@bar@baz=1,bar=2"), kept("foo@1bar=1"),
        kept("foo=1", String(repeating: "t", count: 242) + "@v=1"),
        kept("foo=1", "t@" + String(repeating: "v", count: 15) + "=1"),
        kept("foo=1,foo=1", as: "foo=1"), kept("foo=1", "foo=2,bar=3", as: "foo=1,bar=3"),
        dropped("foo"), dropped("foo=1,foo"), dropped("foo =1"), dropped("FOO=1"), dropped("foo.bar=1"),
        dropped("@foo=1,bar=2"), dropped(members.joined(separator: ","), "bar33=33"),
        dropped("foo=1", String(repeating: "z", count: 257) + "=1"),
        dropped("foo=bar=baz"),
        dropped("foo=,bar=3"), dropped("=1"), dropped("foo=\u{7}"), dropped("foo=\u{E9}"),
        dropped("foo=" + String(repeating: "v", count: 257)),
    ]

    @Test(arguments: states)
    func aStateIsPassedOnOrDropped(trial: StateCase) {
        var fields: HTTPFields = ["traceparent": Self.parent]
        for value in trial.values { fields.append("TraceState", value) }
        #expect(TraceContext(fields: fields)?.state == trial.state)
    }

    @Test func aStateWithoutAParentIsDropped() {
        #expect(TraceContext(fields: ["tracestate": "foo=1"]) == nil)
    }

    @Test func aProcessContinuesTheTraceOfItsParent() {
        let trace = TraceContext(environment: ["TRACEPARENT": Self.parent, "TRACESTATE": "foo=1"])
        #expect(trace?.traceparent == Self.parent && trace?.state == "foo=1")
        #expect(TraceContext(environment: ["TRACEPARENT": ""]) == nil)
        #expect(TraceContext(environment: ["TRACESTATE": "foo=1"]) == nil)
    }
}
