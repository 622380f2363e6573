import GatewayCore
import GatewayJSON
import GatewayOpenAPI
import GatewayTesting
import Testing

@Suite struct WebhookParsingTests {
    private func parse(
        _ body: String, _ fields: HTTPFields = [:], verifier: WebhookVerifier? = nil
    ) throws(WebhookError) -> Harbour.Webhooks {
        try Harbour.Webhooks.parse(body: Array(body.utf8), fields: fields, verifier: verifier)
    }

    @Test func theBodySaysWhichItIs() throws {
        guard case .shipArrived(let arrival) = try parse(#"{"event":"ship.arrived","ship":"Ida","berth":4}"#)
        else {
            Issue.record("another")
            return
        }
        #expect(arrival.ship == "Ida")
        #expect(arrival.berth == 4)
        for name in ["ship.departed", "ship.left"] {
            guard case .shipDeparted(let departure) = try parse(#"{"event":"\#(name)","ship":"Ida"}"#) else {
                Issue.record("another")
                return
            }
            #expect(departure.event.rawValue == name)
        }
    }

    @Test(arguments: [#"{"event":"ship.sunk","ship":"Ida"}"#, "{}", "[1]", "null"])
    func whatTheDocumentDoesNotNameIsKept(body: String) throws {
        guard case .unrecognized(let json) = try parse(body) else {
            Issue.record("recognised")
            return
        }
        #expect(String(decoding: try json.jsonBytes(), as: UTF8.self) == body)
    }

    @Test func aFaultHasItsPlace() {
        do throws(WebhookError) {
            _ = try parse(#"{"event":"ship.arrived","ship":"Ida","berth":"four"}"#)
            Issue.record("read")
        } catch {
            #expect(error.code == .undecodable)
            #expect(error.json?.path == "$.berth")
            #expect(error.json?.code == .wrongType)
            #expect(!error.isForged)
        }
        #expect(throws: WebhookError.self) { try parse("{") }
    }

    @Test func nothingIsReadBeforeItIsTrusted() throws {
        let clock = ManualClock()
        let verifier = try WebhookVerifier(
            secret: Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), clock: clock)
        let body = #"{"event":"ship.arrived","ship":"Ida","berth":4}"#
        let fields = try verifier.fields(signing: Array(body.utf8), id: "msg_1")
        guard case .shipArrived = try parse(body, fields, verifier: verifier) else {
            Issue.record("another")
            return
        }
        do throws(WebhookError) {
            _ = try parse("{", fields, verifier: verifier)
            Issue.record("read")
        } catch {
            #expect(error.code == .signatureMismatch)
        }
        do throws(WebhookError) {
            _ = try parse(body, [:], verifier: verifier)
            Issue.record("read")
        } catch {
            #expect(error.code == .headerMissing)
        }
    }

    @Test func callbacksAreReadByName() throws {
        let body = Array(#"{"ship":"Ida","miles":2.5}"#.utf8)
        guard
            case .sighted(let sighting) = try Harbour.CreateWatchCallbacks.parse(
                named: "sighted", body: body, fields: [:], verifier: nil)
        else {
            Issue.record("another")
            return
        }
        #expect(sighting.miles == 2.5)
        guard
            case .ended(let bytes) = try Harbour.CreateWatchCallbacks.parse(
                named: "ended", body: [0, 255], fields: [:], verifier: nil)
        else {
            Issue.record("another")
            return
        }
        #expect(bytes == [0, 255])
        do throws(WebhookError) {
            _ = try Harbour.CreateWatchCallbacks.parse(named: "sunk", body: body, fields: [:], verifier: nil)
            Issue.record("read")
        } catch {
            #expect(error.code == .unknownName)
        }
    }

    @Test func theOnlyOneNeedsNoName() throws {
        let callback = try Harbour.OrderPilotCallbacks.parse(
            body: Array("Jan".utf8), fields: [:], verifier: nil)
        guard case .boarded(let text) = callback else {
            Issue.record("another")
            return
        }
        #expect(text == "Jan")
        #expect(throws: WebhookError.self) {
            try Harbour.OrderPilotCallbacks.parse(body: [0xFF], fields: [:], verifier: nil)
        }
    }

    @Test func aPayloadCanBeReadAlone() throws {
        let received = ReceivedWebhook(
            body: Array(#"{"event":"e","ship":"Ida","berth":1}"#.utf8), fields: [:])
        #expect(try received.json(Harbour.Arrival.self).berth == 1)
    }
}
