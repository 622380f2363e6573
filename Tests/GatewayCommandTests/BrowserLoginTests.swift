import Foundation
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

/// `gateway login` by a browser, and `gateway logout`. The command itself plays the browser: it follows redirects.
@Suite(.timeLimit(.minutes(2))) struct BrowserLoginTests {
    private let rig: CommandRig

    init() throws {
        var configuration = EmbeddedGateway.Configuration()
        configuration.clients[0].redirectURIs = ["http://localhost/cb", "http://127.0.0.1/callback"]
        configuration.clients[0].scopes.append("openid")
        rig = try CommandRig(configuration)
    }

    /// A client that is found by its issuer. No API is named.
    private func variables(_ more: [String: String] = [:]) -> [String: String] {
        [
            "GATEWAY_ISSUER": "\(rig.gateway.tokenOrigin)", "GATEWAY_CLIENT_ID": rig.gateway.client.id,
            "GATEWAY_CLIENT_SECRET_FILE": rig.folder + "/secret", "GATEWAY_GRANT": "authorization_code",
            "GATEWAY_TOKEN_STORE": rig.folder + "/tokens",
        ].merging(more) { $1 }
    }

    /// The same for calls.
    private func callVariables(_ more: [String: String] = [:]) -> [String: String] {
        variables(more).merging(["GATEWAY_BASE_URL": rig.gateway.apiURL]) { $1 }
    }

    private static func url(_ text: String) -> String? {
        text.split(separator: "\n").first { $0.hasPrefix("http://") }.map(String.init)
    }

    /// Runs `gateway login` with a person at a browser.
    private func login(
        _ arguments: [String] = [], _ variables: [String: String], changing: (String) -> String = { $0 }
    ) async throws -> (CommandProcess.Outcome, url: String) {
        let process = try rig.start(["login"] + arguments, variables, output: .lines)
        let url = try #require(await process.firstLine(Self.url))
        _ = try await CommandProcess(["call", "GET", changing(url)]).outcome()
        let outcome = await process.outcome()
        rig.checkSecrecy(outcome)
        return (outcome, url)
    }

    // MARK: Login

    @Test func aBrowserSignsInAndCallsUseIt() async throws {
        let (login, url) = try await login(
            [],
            variables([
                "GATEWAY_REDIRECT_URI": "http://localhost/cb", "GATEWAY_SCOPE": "openid books:read",
                "GATEWAY_AUTHORIZATION_PARAMETERS": "prompt=login",
            ]))
        #expect(login.status == 0 && login.text.hasSuffix("Signed in.\n"), "\(login.error)")
        #expect(login.text.hasPrefix("Open this URL in a browser on this machine within 10 min:\n"))
        #expect(
            url.contains("%2F%2Flocalhost%3A") && url.contains("&prompt=login") && url.contains("&nonce="))
        let more = ["GATEWAY_SCOPE": "openid books:read"]
        let call = try await rig.run(["call", "GET", "/books/bk-1"], callVariables(more))
        #expect(call.status == 0, "\(call.error)")
        #expect(rig.gateway.statistics.tokenRequestCount == 1)
    }

    /// The grant decides the way, and an option overrides it.
    @Test(.waits("a device is asked for at most once a second (RFC 8628 §3.5)"))
    func optionsOverrideTheGrant() async throws {
        let (login, _) = try await login(["--browser"], variables(["GATEWAY_GRANT": "device_code"]))
        #expect(login.status == 0, "\(login.error)")
        let device = try rig.start(["login", "--device"], variables(), output: .lines)
        let code = await device.firstLine { $0.firstMatch(of: /enter the code (\S+)/).map { String($0.1) } }
        rig.gateway.denyDevice(userCode: try #require(code))
        #expect(await device.outcome().status == 3)
    }

    @Test func aPortInUseIsNamed() async throws {
        let port = rig.gateway.origin.port
        let run = try await rig.run(
            ["login"], variables(["GATEWAY_REDIRECT_URI": "http://127.0.0.1:\(port)/callback"]))
        #expect(run.status == 3 && run.out.isEmpty)
        #expect(run.error.contains("Port \(port) of 127.0.0.1 is already in use"))
        #expect(run.error.contains("GATEWAY_REDIRECT_URI"))
    }

    @Test func aForgedResponseSignsNobodyIn() async throws {
        let process = try rig.start(["login"], variables(), output: .lines)
        let url = try #require(await process.firstLine(Self.url))
        let port = try #require(url.firstMatch(of: /127\.0\.0\.1%3A(\d+)/)).1
        _ = try await CommandProcess(
            ["call", "GET", "http://127.0.0.1:\(port)/callback?code=planted&state=x"]
        ).outcome()
        #expect(rig.gateway.statistics.tokenRequestCount == 0)
        // It is ignored, and the command waits for the right one.
        _ = try await CommandProcess(["call", "GET", url]).outcome()
        let outcome = await process.outcome()
        #expect(outcome.status == 0 && outcome.text.hasSuffix("Signed in.\n"), "\(outcome.error)")
        #expect(!outcome.error.contains("planted") && rig.gateway.statistics.tokenRequestCount == 1)
    }

    @Test func theTimeIsLimited() async throws {
        let run = try await rig.run(["login", "-t", "100ms"], variables())
        #expect(run.status == 4 && run.error.contains("timeout"))
    }

    @Test(arguments: [SIGINT, SIGTERM]) func aSignalEndsTheWait(signal: Int32) async throws {
        let process = try rig.start(["login"], variables(), output: .lines)
        _ = try #require(await process.firstLine(Self.url))
        process.end(by: signal)
        let outcome = await process.outcome()
        #expect(outcome.status == 128 + signal && outcome.error.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: rig.folder + "/tokens"))
    }

    // MARK: The desktop's browser

    /// A program in place of `xdg-open`, which notes what it is given and plays the browser.
    private func desktop() throws -> [String: String] {
        let path = try rig.file(
            "xdg-open",
            """
            #!/bin/sh
            env > \(rig.folder)/environment
            ls -l /proc/self/fd > \(rig.folder)/descriptors
            printf '%s' "$1" > \(rig.folder)/opened
            exec gateway call GET "$1"

            """)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        return ["DISPLAY": ":99", "PATH": rig.folder + ":" + CommandProcess.folder + ":/usr/bin:/bin"]
    }

    @Test func theDesktopsBrowserIsOpenedWithoutSecrets() async throws {
        let run = try await rig.run(["login"], variables(try desktop()))
        #expect(run.status == 0, "\(run.error)")
        #expect(run.text.hasPrefix("A browser opens. If it does not, open this URL on this machine"))
        let opened = try String(contentsOfFile: rig.folder + "/opened", encoding: .utf8)
        #expect(opened == Self.url(run.text))
        let environment = try String(contentsOfFile: rig.folder + "/environment", encoding: .utf8)
        #expect(!environment.contains("GATEWAY_") && environment.contains("DISPLAY=:99"))
        // Neither the connection to the server nor the socket that waits for the browser.
        let descriptors = try String(contentsOfFile: rig.folder + "/descriptors", encoding: .utf8)
        #expect(descriptors.contains("/dev/null") && !descriptors.contains("socket:"))
    }

    /// Variables need not be text; the browser gets them as they are.
    @Test func theDesktopsBrowserInheritsVariablesByteForByte() async throws {
        let script = "export ODD=$'a\\xffb'; exec gateway login"
        let run = try await CommandProcess(
            ["-c", script], program: "/bin/bash", environment: variables(try desktop())
        ).outcome()
        #expect(run.status == 0, "\(run.error)")
        let environment = try Data(contentsOf: URL(fileURLWithPath: rig.folder + "/environment"))
        #expect(environment.range(of: Data([0x4F, 0x44, 0x44, 0x3D, 0x61, 0xFF, 0x62])) != nil)
    }

    @Test(arguments: [["--no-open"], []]) func noBrowserIsOpenedUnasked(options: [String]) async throws {
        var desktop = try desktop()
        if options.isEmpty { desktop["DISPLAY"] = "" }
        let (login, _) = try await login(options, variables(desktop))
        #expect(login.status == 0 && login.text.hasPrefix("Open this URL"), "\(login.error)")
        #expect(!FileManager.default.fileExists(atPath: rig.folder + "/opened"))
    }

    // MARK: Origins

    /// Neither a token nor a login needs an API.
    @Test func aTokenNeedsNoOrigin() async throws {
        let variables = variables(["GATEWAY_GRANT": "", "GATEWAY_TOKEN_STORE": ""])
        let token = try await rig.run(["token"], variables)
        #expect(token.status == 0 && token.text.contains("claims"), "\(token.error)")
        // A call without an origin would leave the credential out silently.
        let call = try await rig.run(["call", "GET", rig.gateway.apiURL + "/books/bk-1"], variables)
        #expect(call.status == 2 && call.error.contains("GATEWAY_ORIGINS"))
    }

    // MARK: Logout

    @Test func aLogoutDeletesAndRevokes() async throws {
        let none = try await rig.run(["logout"], variables())
        #expect(none.status == 0 && none.text == "Nobody is signed in.\n")
        #expect(try await login([], variables()).0.status == 0)
        let token = try await rig.run(["token", "--raw"], variables(), mayPrintToken: true).text
        try rig.file("header", "Authorization: Bearer " + token)
        let call = [
            "call", "GET", rig.gateway.apiURL + "/books/bk-1", "--header-file", rig.folder + "/header",
        ]
        #expect(try await rig.run(call, [:]).status == 0)
        let logout = try await rig.run(["logout"], variables())
        #expect(logout.status == 0, "\(logout.error)")
        #expect(logout.text == "Signed out. The tokens are deleted here and revoked at the server.\n")
        #expect(try await rig.run(call, [:]).status == 1)
        let after = try await rig.run(["token"], variables())
        #expect(after.status == 3 && after.error.contains("gateway login"))
        #expect(try await rig.run(["logout"], variables()).text == "Nobody is signed in.\n")
        #expect(try await login([], variables()).0.status == 0)
        #expect(try await rig.run(["token"], variables()).status == 0)
    }

    @Test(.waits("a device is asked for at most once a second (RFC 8628 §3.5)"))
    func withoutARevocationEndpointALogoutSaysSo() async throws {
        let endpoints = [
            "GATEWAY_ISSUER": "", "GATEWAY_TOKEN_URL": rig.gateway.tokenURL, "GATEWAY_GRANT": "device_code",
            "GATEWAY_DEVICE_URL": "\(rig.gateway.tokenOrigin)/oauth/device_authorization",
        ]
        let process = try rig.start(["login"], variables(endpoints), output: .lines)
        let code = await process.firstLine { $0.firstMatch(of: /enter the code (\S+)/).map { String($0.1) } }
        rig.gateway.approveDevice(userCode: try #require(code))
        #expect(await process.outcome().status == 0)
        let logout = try await rig.run(["logout"], variables(endpoints))
        #expect(logout.status == 0 && logout.text.contains("No revocation endpoint is known"))
        #expect(try await rig.run(["token"], variables(endpoints)).status == 3)
    }

    @Test func aLogoutWithoutTheServerDeletesAllTheSame() async throws {
        #expect(try await login([], variables()).0.status == 0)
        rig.gateway.shutdown()
        let logout = try await rig.run(["logout", "-t", "5s"], variables())
        #expect(logout.status == 3, "\(logout.error)")
        #expect(logout.text == "Signed out. The tokens are deleted here.\n")
        #expect(logout.error.contains("could not be revoked"))
        #expect(try await rig.run(["logout"], variables()).text == "Nobody is signed in.\n")
    }
}
