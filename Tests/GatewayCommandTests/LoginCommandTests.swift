import Foundation
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

/// `gateway login`: a person signs in, and calls are made in that person's name.
@Suite(.timeLimit(.minutes(2)), .waits("a device is asked for at most once a second (RFC 8628 §3.5)"))
struct LoginCommandTests {
    private let rig: CommandRig

    init() throws {
        var configuration = EmbeddedGateway.Configuration()
        configuration.deviceCodes.interval = .seconds(1)
        rig = try CommandRig(configuration)
    }

    private func variables(byIssuer: Bool) -> [String: String] {
        var variables = rig.client
        variables["GATEWAY_GRANT"] = "device_code"
        variables["GATEWAY_TOKEN_STORE"] = rig.folder + "/tokens"
        if byIssuer {
            variables["GATEWAY_TOKEN_URL"] = nil
            variables["GATEWAY_ISSUER"] = "\(rig.gateway.tokenOrigin)"
        } else {
            variables["GATEWAY_DEVICE_URL"] = "\(rig.gateway.tokenOrigin)/oauth/device_authorization"
        }
        return variables
    }

    /// Runs the command while somebody decides about the code that it shows.
    private func login(
        _ variables: [String: String], _ options: [String] = [],
        deciding decide: @escaping @Sendable (EmbeddedGateway, String) -> Void
    ) async throws -> CommandProcess.Outcome {
        let process = try rig.start(["login"] + options, variables, output: .lines)
        let code = await process.firstLine { $0.firstMatch(of: /enter the code (\S+)/).map { String($0.1) } }
        decide(rig.gateway, try #require(code))
        let outcome = await process.outcome()
        rig.checkSecrecy(outcome)
        return outcome
    }

    @Test(arguments: [true, false]) func whoAgreesIsSignedIn(byIssuer: Bool) async throws {
        let variables = variables(byIssuer: byIssuer)
        let before = try await rig.run(["call", "GET", "/books/bk-1"], variables)
        #expect(before.status == 3 && before.error.contains("Sign in first"))
        let login = try await login(variables) { $0.approveDevice(userCode: $1) }
        #expect(login.status == 0 && login.text.hasSuffix("Signed in.\n"), "\(login.error)")
        let call = try await rig.run(["call", "GET", "/books/bk-1"], variables)
        #expect(call.status == 0, "\(call.error)")
        let token = try await rig.run(["token"], variables)
        #expect(token.text.contains("\"reader\""))
    }

    /// Nobody has signed out in between.
    @Test func whoSignsInNextRemovesTheResponsesOfTheLoginBefore() async throws {
        rig.gateway.route(.get, "/v1/kept") { _ in
            EmbeddedGateway.Reply(
                status: 200, fields: ["Cache-Control": "max-age=3600"], body: Array("of-the-first".utf8))
        }
        var variables = variables(byIssuer: false)
        variables["GATEWAY_CACHE"] = "disk:\(rig.folder)/http.sqlite"
        let first = try await login(variables) { $0.approveDevice(userCode: $1) }
        #expect(first.status == 0, "\(first.error)")
        let call = try await rig.run(["call", "GET", "/kept"], variables)
        #expect(call.text == "of-the-first", "\(call.error)")
        #expect(try holds("of-the-first", "http.sqlite"))
        let second = try await login(variables) { $0.approveDevice(userCode: $1) }
        #expect(second.status == 0 && !second.error.contains("responses"), "\(second.error)")
        #expect(try !holds("of-the-first", "http.sqlite"))
        #expect(try holds("access_token", "tokens/") && !holds("ended_logins", "tokens/"))
    }

    /// Whether a text is in any file below the folder whose path begins so.
    private func holds(_ text: String, _ beginning: String) throws -> Bool {
        for path in try FileManager.default.subpathsOfDirectory(atPath: rig.folder)
        where path.hasPrefix(beginning) {
            let bytes = FileManager.default.contents(atPath: rig.folder + "/" + path) ?? Data()
            if bytes.range(of: Data(text.utf8)) != nil { return true }
        }
        return false
    }

    @Test func whoRefusesIsNot() async throws {
        let login = try await login(variables(byIssuer: false), ["--timeout", "50s"]) {
            $0.denyDevice(userCode: $1)
        }
        #expect(login.status == 3 && !login.text.contains("Signed in"))
        #expect(login.text.contains("within 50 s (--timeout)."))
    }

    @Test func nobodyIsWaitedForLongerThanAsked() async throws {
        let run = try await rig.run(["login", "--timeout", "100ms"], variables(byIssuer: false))
        #expect(run.status == 4 && run.error.contains("within 100 ms (--timeout)"))
    }
}
