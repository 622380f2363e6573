import Foundation
import GatewayCore
import GatewayCurl
import GatewayDigest
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayAuth

/// Signing in by a browser that comes back to this machine (RFC 7636, RFC 8252, RFC 9207).
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct AuthorizationCodeTests {
    private typealias Rig = BrowserRig

    @Test func somebodySignsInByABrowser() async throws {
        let rig = try await Rig()
        defer { rig.gateway.shutdown() }
        let grant = try await rig.signIn { url in
            // Others come by as well, and are no answer.
            let stray = try await CurlTransport().send(
                try HTTPRequest(.get, "http://127.0.0.1:\(try BrowserRig.port(url))/favicon.ico"),
                context: RequestContext())
            #expect(stray.status == 404)
            #expect(try await BrowserRig.browse(url) == 200)
        }.get()
        let token = try JSONWebToken.verify(grant.accessToken, key: rig.gateway.verificationKey)
        #expect(token.subject == "reader")
        #expect(grant.refreshToken != nil && grant.scopes == ["books:read"])
    }

    @Test func theQuestionIsWhatTheStandardSays() async throws {
        let rig = try await Rig()
        defer { rig.gateway.shutdown() }
        let urls = Locked<[String]>([])
        for _ in 0..<2 {
            _ = try await rig.signIn { url in
                urls.withLock { $0.append(url) }
                try await BrowserRig.browse(url)
            }.get()
        }
        let questions = urls.withLock { $0 }.map { URLEncodedForm.decode($0.split(separator: "?")[1].utf8) }
        func values(_ name: String) -> [String] {
            questions.compactMap { $0.first { $0.name == name }?.value }
        }
        #expect(values("response_type") == ["code", "code"])
        #expect(values("code_challenge_method") == ["S256", "S256"])
        #expect(Set(values("state")).count == 2 && Set(values("code_challenge")).count == 2)
        #expect(values("state").allSatisfy { $0.utf8.count == 43 })
        #expect(values("redirect_uri").allSatisfy { $0.hasPrefix("http://127.0.0.1:") })
        #expect(Set(values("redirect_uri")).count == 2)
    }

    @Test func theVerifierMakesTheChallengeOfTheStandard() {
        // RFC 7636 appendix B.
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        #expect(
            Base64.encodeURL(SHA256.digest(verifier.utf8)) == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test func aRefusalIsTyped() async throws {
        let rig = try await Rig()
        defer { rig.gateway.shutdown() }
        let result = await rig.signIn(scopes: ["no"]) { try await BrowserRig.browse($0) }
        #expect(result.code == .authorizationDenied)
    }

    /// Which part of an answer is another's.
    enum Forgery: String, CaseIterable, Sendable { case issuer, noIssuer, noCode }

    /// A response with another state is ignored: any page in a browser can send one to a registered port.
    @Test(arguments: ["state=x", "stale="]) func aForeignResponseEndsNothing(state: String) async throws {
        let rig = try await Rig()
        defer { rig.gateway.shutdown() }
        let result = await rig.signIn { url in
            try await BrowserRig.browse(url) { $0.replacing("state=", with: state) }
            try await BrowserRig.browse(url)
        }
        #expect(result.value != nil, "\(String(describing: result.code))")
        #expect(rig.gateway.statistics.tokenRequestCount == 1)
    }

    @Test(arguments: Forgery.allCases) func anAnswerToAnotherQuestionIsRefused(forgery: Forgery) async throws
    {
        let rig = try await Rig()
        defer { rig.gateway.shutdown() }
        let result = await rig.signIn { url in
            try await BrowserRig.browse(url) { place in
                switch forgery {
                case .issuer: place.replacing("iss=http", with: "iss=https")
                case .noIssuer: place.replacing("iss=", with: "is=")
                case .noCode: place.replacing("code=", with: "cod=")
                }
            }
        }
        #expect(result.code == .interactionRequired)
        #expect(rig.gateway.statistics.tokenRequestCount == 0)
    }

    /// An error in the authorization response is shown; what repeats the state or controls a terminal is not.
    @Test(
        arguments: [
            (
                "access_denied", "Not%20on%20duty", NetworkError.authorizationDenied,
                "access_denied (\"Not on duty\")"
            ),
            ("server_error", "a%1B%5B31mb", .tokenUnavailable, "server_error (\"a?[31mb\")"),
            ("login_required", "", .interactionRequired, "login_required."),
            (
                "scope_invalid", "No%20such%20scope", .credentialMisconfigured,
                "scope_invalid (\"No such scope\")"
            ),
            ("invalid_request", "STATE", .credentialMisconfigured, "(text left out: it repeats a secret)"),
        ])
    func theServersReasonIsShown(
        error: String, description: String, code: NetworkError.Code, text: String
    ) async throws {
        let rig = try await Rig()
        defer { rig.gateway.shutdown() }
        let result = await rig.signIn { url in
            try await BrowserRig.browse(url) { place in
                let state = place.split(separator: "state=").last?.prefix { $0 != "&" } ?? ""
                return place.replacing("code=", with: "cod=") + "&error=\(error)&error_description="
                    + description.replacing("STATE", with: state)
            }
        }
        guard case .failure(let failure) = result else {
            Issue.record("signed in")
            return
        }
        #expect(failure.code == code && failure.message.contains(text), "\(failure)")
    }

    @Test func aCodeIsWorthNothingWithoutItsVerifier() async throws {
        let rig = try await Rig()
        defer { rig.gateway.shutdown() }
        let stolen = Locked<String?>(nil)
        let redirected = Gate()
        let work = Task {
            await rig.signIn { url in
                let redirect = try await CurlTransport().send(
                    try HTTPRequest(.get, url), context: RequestContext())
                stolen.withLock { $0 = redirect.fields["Location"] }
                await redirected.pass()
            }
        }
        await redirected.waitForArrivals(1)
        work.cancel()
        redirected.open()
        #expect(await work.value.code == .cancelled)
        let place = try #require(stolen.withLock { $0 })
        let parts = place.split(separator: "?")
        let code = try #require(URLEncodedForm.decode(parts[1].utf8).first { $0.name == "code" }?.value)
        let attempt = await outcome { () throws(NetworkError) in
            try await rig.endpoint.grant(
                [
                    ("grant_type", "authorization_code"), ("code", code),
                    ("redirect_uri", String(parts[0])),
                    ("code_verifier", String(repeating: "a", count: 43)),
                ], deadline: .after(.seconds(60)))
        }
        #expect(attempt.code == .reauthenticationRequired)
    }

    @Test func cancellingClosesThePort() async throws {
        let rig = try await Rig()
        defer { rig.gateway.shutdown() }
        let opened = Gate()
        let place = Locked<String?>(nil)
        opened.open()
        let work = Task {
            await rig.signIn { url in
                place.withLock { $0 = url }
                await opened.pass()
            }
        }
        await opened.waitForArrivals(1)
        work.cancel()
        #expect(await work.value.code == .cancelled)
        let url = try #require(place.withLock { $0 })
        let port = try BrowserRig.port(url)
        await eventually { BrowserRig.listeners(port).isEmpty }
    }
}
