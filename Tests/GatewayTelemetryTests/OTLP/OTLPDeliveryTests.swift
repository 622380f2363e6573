import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayTelemetry

/// What responses of a collector mean.
@Suite struct OTLPDeliveryTests {
    private func delivery(
        _ status: Int, _ fields: HTTPFields = HTTPFields(), _ body: [UInt8] = []
    ) -> OTLPDelivery {
        OTLPDelivery(status: status, fields: fields, body: body, unixTime: .seconds(1_767_225_600))
    }

    @Test func onlyFourStatusesAreRetried() {
        for status in 200..<300 { #expect(delivery(status) == .taken(rejected: 0)) }
        for status in Array(100..<200) + Array(300..<600) {
            let isRetried = [429, 502, 503, 504].contains(status)
            let expected: OTLPDelivery =
                isRetried ? .again(after: nil, .status(status)) : .lost(.status(status))
            #expect(delivery(status) == expected)
        }
    }

    @Test(arguments: [("7", 7), ("Thu, 01 Jan 2026 00:00:09 GMT", 9), ("0", 0)])
    func theServerSaysWhen(value: String, seconds: Int) {
        #expect(
            delivery(503, ["Retry-After": value]) == .again(after: .seconds(seconds), .status(503)))
    }

    @Test func connectionFailuresAreRetried() {
        for code in [
            NetworkError.Code.connectionLost, .connectionRefused, .noConnection, .dnsFailure, .timeout,
            .overloaded, .truncated, .proxyFailure,
        ] {
            #expect(OTLPDelivery(NetworkError(code, "x")) == .again(after: nil, .error(code)))
        }
        for code in [
            NetworkError.Code.responseTooLarge, .tlsFailure, .pinningFailure, .closed, .cancelled,
            .malformedResponse, .invalidRequest, .misconfigured,
        ] {
            #expect(OTLPDelivery(NetworkError(code, "x")) == .lost(.error(code)))
        }
    }

    @Test func partialSuccessIsCounted() {
        // partial_success { rejected_spans: 300, error_message: "x" }
        let message: [UInt8] = [0x0A, 6, 0x08, 0xAC, 0x02, 0x12, 1, 0x78]
        let protobuf: HTTPFields = ["Content-Type": "application/x-protobuf"]
        #expect(delivery(200, protobuf, message) == .taken(rejected: 300))
        #expect(delivery(200, protobuf, [0x0A, 0]) == .taken(rejected: 0))
        #expect(delivery(200, protobuf, [0x10, 1, 0x0A, 2, 0x08, 5]) == .taken(rejected: 5))
        for broken in [[0x0A, 6, 0x08], [0x0A], [0xFF, 0xFF], [0x0B], [0, 0]] as [[UInt8]] {
            #expect(delivery(200, protobuf, broken) == .lost(.malformed))
        }
        let json: HTTPFields = ["Content-Type": "application/json; charset=utf-8"]
        for (text, rejected) in [
            ("{}", 0), (#"{"partialSuccess":{}}"#, 0), (#"{"partialSuccess":{"rejectedSpans":"5"}}"#, 5),
            (#"{"partialSuccess":{"rejectedSpans":6,"errorMessage":"x"},"new":1}"#, 6),
            (#"{"partialSuccess":{"rejectedSpans":-1}}"#, 0),
        ] {
            #expect(delivery(200, json, Array(text.utf8)) == .taken(rejected: rejected))
        }
        for text in ["", "{", "[]", "null"] {
            #expect(
                delivery(200, json, Array(text.utf8))
                    == (text == "" ? .taken(rejected: 0) : .lost(.malformed)))
        }
    }

    @Test func aPageIsNoAnswer() {
        #expect(delivery(200, ["Content-Type": "text/html"], Array("<html>".utf8)) == .lost(.malformed))
    }
}
