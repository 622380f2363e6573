import GatewayCore
import GatewayOpenAPI
import GatewayTesting
import Testing

@Suite struct WebhookVerifierTests {
    /// The vector that the implementations of Standard Webhooks share.
    private static let secret = Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    private static let id = "msg_p5jXN8AQM9LWM0D4loKWxJek"
    private static let timestamp = 1_614_265_330
    private static let body = Array(#"{"test": 2432232314}"#.utf8)
    private static let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    private static let other = "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc="

    private static let fields: HTTPFields = [
        "webhook-id": id, "Webhook-Timestamp": "\(timestamp)", "webhook-signature": signature,
    ]

    private static func verifier(
        _ secrets: [Secret] = [secret], at seconds: Int = timestamp
    ) throws -> WebhookVerifier {
        try WebhookVerifier(secrets: secrets, clock: ManualClock(unixTime: .seconds(seconds)))
    }

    /// What is wrong with a webhook; `nil` when nothing is.
    private func fault(
        _ verifier: WebhookVerifier? = nil, body: [UInt8] = body,
        _ change: (inout HTTPFields) -> Void = { _ in }
    ) throws -> WebhookError? {
        var fields = Self.fields
        change(&fields)
        let verifier = try verifier ?? Self.verifier()
        do throws(WebhookError) {
            try verifier.verify(body: body, fields: fields)
            return nil
        } catch {
            return error
        }
    }

    @Test func theSharedVectorIsGenuine() throws {
        #expect(try Self.verifier().verify(body: Self.body, fields: Self.fields) == Self.id)
        #expect(
            try Self.verifier([Secret("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")]).verify(
                body: Self.body, fields: Self.fields) == Self.id)
    }

    @Test func theSharedVectorIsSigned() throws {
        let fields = try Self.verifier().fields(signing: Self.body, id: Self.id)
        #expect(fields["webhook-signature"] == Self.signature)
        #expect(fields["webhook-timestamp"] == "\(Self.timestamp)")
        #expect(fields["webhook-id"] == Self.id)
    }

    @Test func everyPartIsSigned() throws {
        #expect(try fault(body: Self.body + [0x20])?.code == .signatureMismatch)
        #expect(try fault { $0["webhook-id"] = "msg_other" }?.code == .signatureMismatch)
        #expect(try fault { $0["webhook-timestamp"] = "\(Self.timestamp + 1)" }?.code == .signatureMismatch)
        #expect(try fault { $0["webhook-signature"] = Self.other }?.code == .signatureMismatch)
        let stranger = Secret("whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD")
        #expect(try fault(Self.verifier([stranger]))?.code == .signatureMismatch)
    }

    @Test func oneOfSeveralSignaturesSuffices() throws {
        let list = "\(Self.other) v2,\(Self.signature.dropFirst(3)) v1a,AAAA \(Self.signature) v1,"
        #expect(try fault { $0["webhook-signature"] = list } == nil)
        // Of another version it is none.
        #expect(
            try fault { $0["webhook-signature"] = "v2," + Self.signature.dropFirst(3) }?.code
                == .signatureMismatch)
        #expect(try fault { $0["webhook-signature"] = "v1" }?.code == .signatureMismatch)
        #expect(try fault { $0["webhook-signature"] = "" }?.code == .signatureMismatch)
    }

    @Test func secretsRotate() throws {
        let next = Secret("whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD")
        #expect(try fault(Self.verifier([next, Self.secret])) == nil)
        let both = try Self.verifier([next, Self.secret]).fields(signing: Self.body, id: Self.id)
        #expect(both["webhook-signature"]?.split(separator: " ").count == 2)
        for secret in [next, Self.secret] {
            #expect(try Self.verifier([secret]).verify(body: Self.body, fields: both) == Self.id)
        }
    }

    @Test(arguments: [
        (0, nil), (300, nil), (-300, nil), (301, WebhookError.Code.tooOld), (-301, .tooNew),
        (1_000_000_000, .tooOld),
    ])
    func theTimeOfSendingIsNearNow(seconds: Int, code: WebhookError.Code?) throws {
        #expect(try fault(Self.verifier(at: Self.timestamp + seconds))?.code == code)
    }

    @Test(arguments: ["id", "timestamp", "signature"]) func everyHeaderIsNeededOnce(part: String) throws {
        let name = HTTPField.Name("webhook-" + part)
        let missing = try fault { $0[name] = nil }
        #expect(missing?.code == .headerMissing)
        #expect(missing?.field == "webhook-" + part)
        let twice = try fault { $0.append(name, Self.fields[name] ?? "") }
        #expect(twice?.code == .headerMalformed)
        #expect(twice?.isForged == true)
    }

    @Test(arguments: [
        "", " 1614265330", "+1614265330", "-1", "1614265330.0", "1e9", "9999999999999999999999", "٣",
    ])
    func aTimeThatIsNoneIsRefused(text: String) throws {
        #expect(try fault { $0["webhook-timestamp"] = text }?.code == .headerMalformed)
    }

    /// `a.1` sent at `2` and `a` sent at `1` with the body `2.…` would have one signature.
    @Test func anIDWithADotIsRefused() throws {
        let body = Array(#"1614265330.{}"#.utf8)
        let verifier = try Self.verifier(at: 1)
        var fields = try verifier.fields(signing: body, id: "a")
        fields["webhook-id"] = "a.1"
        fields["webhook-timestamp"] = "1614265330"
        let now = try Self.verifier()
        do throws(WebhookError) {
            try now.verify(body: Array("{}".utf8), fields: fields)
            Issue.record("taken")
        } catch {
            #expect(error.code == .headerMalformed)
            #expect(error.field == "webhook-id")
        }
        #expect(try fault { $0["webhook-id"] = "" }?.code == .headerMalformed)
        #expect(try fault { $0["webhook-id"] = "a b" }?.code == .headerMalformed)
    }

    @Test(arguments: [
        "", "whsec_", "whsec_***", "whsec_AAAA", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa",
        String(repeating: "A", count: 88),
    ])
    func aSecretThatIsNoneIsRefused(text: String) throws {
        do throws(WebhookError) {
            _ = try WebhookVerifier(secret: Secret(text))
            Issue.record("taken")
        } catch {
            #expect(error.code == .secretUnusable)
            #expect(!error.isForged)
            if text.utf8.count > 6 { #expect(!"\(error)".contains(text)) }
        }
        #expect(throws: WebhookError.self) { try WebhookVerifier(secrets: []) }
    }

    @Test func nothingPrintsASecret() throws {
        let verifier = try Self.verifier()
        var text = "\(verifier) \(String(reflecting: verifier))"
        dump(verifier, to: &text)
        #expect(!text.contains("MfKQ9r8"))
        // A byte of the key, as dumps would show it.
        #expect(!text.contains("242"))
        let error = try fault { $0["webhook-signature"] = Self.other }
        #expect(error.map { "\($0)" }?.contains("Ceo5") == false)
    }

    @Test func sendersMayNameTheHeadersOtherwise() throws {
        let clock = ManualClock(unixTime: .seconds(Self.timestamp))
        let verifier = try WebhookVerifier(secrets: [Self.secret], fieldPrefix: "svix", clock: clock)
        let fields: HTTPFields = [
            "svix-id": Self.id, "svix-timestamp": "\(Self.timestamp)", "svix-signature": Self.signature,
        ]
        #expect(try verifier.verify(body: Self.body, fields: fields) == Self.id)
    }

    @Test(arguments: ExtremeValues.durations)
    func anyToleranceAndAnyTime(tolerance: Duration) throws {
        for unixTime in ExtremeValues.durations {
            let verifier = try WebhookVerifier(
                secrets: [Self.secret], tolerance: tolerance, clock: ManualClock(unixTime: unixTime))
            let error = try fault(verifier)
            #expect(error == nil || error?.code == .tooOld || error?.code == .tooNew)
            #expect(tolerance > .seconds(1) || error != nil)
            _ = try verifier.fields(signing: [], id: "x")
        }
    }
}
