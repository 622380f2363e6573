import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayTelemetry

/// What the lines of failures say of their causes.
@Suite struct CauseLineTests {
    private final class Output: Sendable {
        private let written = Locked<[String]>([])
        var lines: [String] { written.withLock { $0 } }
        func write(_ bytes: [UInt8]) {
            let more = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
            written.withLock { $0 += more }
        }
    }

    private let clock = ManualClock()
    private let output = Output()

    private func sink(_ requestIDFields: [HTTPField.Name] = HTTPField.Name.requestIDs) -> JSONLogSink {
        return JSONLogSink(
            fields: Set(JSONLogSink.Field.allCases).subtracting([.time]), requestIDFields: requestIDFields,
            clock: clock, write: output.write)
    }

    private func failure(_ cause: FailureCause) throws -> RequestEvent {
        RequestEvent(
            callID: 0xAB, operation: "list", origin: try EventSamples.origin(), method: .get,
            kind: .failed(cause, attempts: 3, duration: .milliseconds(40)), requestID: "req-7")
    }

    private static let common =
        #""call_id":"00000000000000ab","operation":"list","method":"GET","origin":"https://api.example.com","#
        + #""request_id":"req-7","#

    @Test func aFailedCallHasItsCause() async throws {
        let sink = sink()
        let login = try Origin("https://login.example.com")
        sink.record(
            try failure(FailureCause(.timeout, phase: .firstByte, origin: try EventSamples.origin())))
        sink.record(
            try failure(
                FailureCause(
                    .tokenUnavailable, phase: .connect, origin: login, status: 503,
                    underlying: .connectionRefused)))
        await sink.flush()
        #expect(
            output.lines == [
                #"{"level":"error","event":"failed","# + Self.common
                    + #""error":"timeout","phase":"firstByte","attempts":3,"duration_ms":40.0}"#,
                #"{"level":"error","event":"failed","# + Self.common
                    + #""status":503,"error":"token_unavailable","cause":"connection_refused","phase":"connect","#
                    + #""failed_origin":"https://login.example.com","attempts":3,"duration_ms":40.0}"#,
            ])
    }

    private func refusal() throws -> TokenEvent {
        TokenEvent(
            credential: CredentialIdentity(key: "key", epoch: 1), generation: 4, waitingCalls: [1, 2],
            kind: .refreshFailed(
                FailureCause(
                    .credentialMisconfigured, origin: try Origin("https://login.example.com"), status: 401,
                    serverCode: "invalid_client", requestID: "req-8"),
                isPermanent: true, attempt: 2, retryAfter: .seconds(3)))
    }

    @Test func aFailedTokenRequestHasItsCause() async throws {
        let sink = sink()
        sink.record(try refusal())
        await sink.flush()
        #expect(
            output.lines == [
                #"{"level":"error","event":"token_refresh_failed","generation":4,"waiting_calls":2,"#
                    + #""origin":"https://login.example.com","status":401,"error":"credential_misconfigured","#
                    + #""server_error":"invalid_client","request_id":"req-8","attempt":2,"delay_ms":3000.0}"#
            ])
    }

    @Test func theFieldsOfTheIDAreChosen() async throws {
        #expect(sink().requestIDFields == HTTPField.Name.requestIDs)
        #expect(ClientTelemetry(log: sink(["CF-Ray"])).requestIDFields == ["CF-Ray"])
        #expect(ClientTelemetry().requestIDFields == [])
        let none = sink([])
        none.record(try failure(FailureCause(.timeout)))
        none.record(try refusal())
        await none.flush()
        let written = output.lines
        #expect(written.count == 2 && written.allSatisfy { !$0.contains("request_id") })
        let fields =
            ["CF-Ray, X-Request-ID": ["CF-Ray", "X-Request-ID"], "none": []] as [String: [HTTPField.Name]]
        for (text, names) in fields {
            let telemetry = try ClientTelemetry.environment(
                ["GATEWAY_LOG": "info", "GATEWAY_LOG_REQUEST_ID_FIELDS": text], clock: clock)
            #expect(telemetry.requestIDFields == names)
        }
        for wrong in ["a b", "Set-Cookie", ",", "X-Auth-Token"] {
            #expect(throws: NetworkError.self) {
                try ClientTelemetry.environment(["GATEWAY_LOG_REQUEST_ID_FIELDS": wrong], clock: clock)
            }
        }
        for wrong in ["0", "-1", "many", "1.5"] {
            #expect(throws: NetworkError.self) {
                try ClientTelemetry.environment(["GATEWAY_LOG_LINES_PER_SECOND": wrong], clock: clock)
            }
        }
    }
}
