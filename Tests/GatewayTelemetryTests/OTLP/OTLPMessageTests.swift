import GatewayCore
import GatewayJSON
import GatewayTesting
import Testing

@testable import GatewayTelemetry

/// The forms of a batch of spans.
@Suite struct OTLPMessageTests {
    private func span() throws -> FinishedSpan {
        let position = try #require(
            TraceContext(
                traceIDHigh: 0x0AF7_6519_16CD_43DD, traceIDLow: 2, spanID: 0xB7, flags: 3, state: "a=1"))
        let link = try #require(TraceContext(traceIDHigh: 0, traceIDLow: 5, spanID: 6, flags: 1))
        return FinishedSpan(
            position: position, parentSpanID: 9, hasLocalParent: true, name: "GET /é", kind: .client,
            startNanoseconds: 1_767_225_600_000_000_001, endNanoseconds: 1_767_225_600_000_000_002,
            attributes: [.init("text", "x"), .init("count", -1), .init("time", .milliseconds(1_500))],
            events: [.init(name: "event", unixNanoseconds: 7, attributes: [.init("a", "b")])],
            droppedEvents: 3, links: [link], isError: true)
    }

    private func request(_ spans: [FinishedSpan]) -> OTLPMessage {
        OTLPResource(["service.name": "shop"]).request(spans)
    }

    @Test func jsonIsThatOfTheProtocol() throws {
        let root = try JSONValue(json: JSONDocument(request([span()]).json).root)
        let resource = try #require(root["resourceSpans"]?[0])
        let attributes = try #require(resource["resource"]?["attributes"]?.array)
        #expect(attributes.contains { $0["key"] == "service.name" && $0["value"]?["stringValue"] == "shop" })
        let span = try #require(resource["scopeSpans"]?[0]?["spans"]?[0])
        // IDs are hexadecimal, enums numbers, integers of 64 bits strings.
        #expect(span["traceId"] == "0af7651916cd43dd0000000000000002" && span["spanId"] == "00000000000000b7")
        #expect(span["parentSpanId"] == "0000000000000009" && span["traceState"] == "a=1")
        #expect(span["kind"] == 3 && span["startTimeUnixNano"] == "1767225600000000001")
        #expect(span["attributes"]?[1]?["value"]?["intValue"] == "-1")
        #expect(span["attributes"]?[2]?["value"]?["doubleValue"]?.double == 1.5)
        #expect(span["events"]?[0]?["timeUnixNano"] == "7" && span["droppedEventsCount"] == 3)
        #expect(span["links"]?[0]?["traceId"] == "00000000000000000000000000000005")
        #expect(span["status"]?["code"] == 2 && span["flags"] == 0x103)
    }

    @Test func protocolBuffersHaveTheSameValues() throws {
        let fields = try ProtobufReader.fields(request([span(), span()]).protobuf)
        let resource = try ProtobufReader.fields(try #require(fields[1]?.first).bytes)
        let scope = try ProtobufReader.fields(try #require(resource[2]?.first).bytes)
        let spans = try #require(scope[2])
        #expect(spans.count == 2 && scope[3]?.first?.text == OTLPResource.schemaURL)
        let span = try ProtobufReader.fields(spans[0].bytes)
        #expect(
            span[1]?.first?.bytes == [0x0A, 0xF7, 0x65, 0x19, 0x16, 0xCD, 0x43, 0xDD, 0, 0, 0, 0, 0, 0, 0, 2])
        #expect(span[2]?.first?.bytes == [0, 0, 0, 0, 0, 0, 0, 0xB7])
        #expect(span[3]?.first?.text == "a=1" && span[4]?.first?.bytes == [0, 0, 0, 0, 0, 0, 0, 9])
        #expect(span[5]?.first?.text == "GET /é" && span[6]?.first?.unsigned == 3)
        #expect(span[7]?.first == .fixed64(1_767_225_600_000_000_001))
        #expect(span[8]?.first == .fixed64(1_767_225_600_000_000_002))
        #expect(span[9]?.count == 3 && span[12]?.first?.unsigned == 3)
        #expect(span[16]?.first == .fixed32(0x103))
        let attribute = try ProtobufReader.fields(try #require(span[9]?.dropFirst().first).bytes)
        let count = try ProtobufReader.fields(try #require(attribute[2]?.first).bytes)
        #expect(count[3]?.first?.unsigned == UInt64(bitPattern: -1))
        let link = try ProtobufReader.fields(try #require(span[13]?.first).bytes)
        #expect(link[2]?.first?.bytes == [0, 0, 0, 0, 0, 0, 0, 6] && link[6]?.first == .fixed32(1))
        let status = try ProtobufReader.fields(try #require(span[15]?.first).bytes)
        #expect(status[3]?.first?.unsigned == 2)
    }

    @Test func packedAndSpecialNumbersAreWritten() throws {
        let message = OTLPMessage([
            (1, "bounds", .doubles([.infinity, -1.5])), (2, "counts", .fixed64s([1, .max])),
            (3, "buckets", .integers([0, 300])), (4, "scale", .signed(-2)), (5, "flag", .flag(true)),
        ])
        #expect(
            String(decoding: message.json, as: UTF8.self)
                == #"{"bounds":["Infinity",-1.5],"counts":["1","18446744073709551615"],"buckets":["0","300"],"scale":-2,"flag":true}"#
        )
        let fields = try ProtobufReader.fields(message.protobuf)
        #expect(fields[1]?.first?.bytes.count == 16 && fields[2]?.first?.bytes.count == 16)
        #expect(fields[3]?.first?.bytes == [0, 0xAC, 0x02])
        #expect(fields[4]?.first?.signed == -2 && fields[5]?.first?.unsigned == 1)
    }
}
