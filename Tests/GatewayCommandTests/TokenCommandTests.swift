import Foundation
import GatewayCore
import GatewayTesting
import Testing

/// `gateway token`: what a token says, and never the token.
@Suite(.timeLimit(.minutes(2))) struct TokenCommandTests {
    private let rig: CommandRig

    init() throws { rig = try CommandRig() }

    private struct Shown: Decodable {
        let header: [String: String]?
        struct Claims: Decodable {
            let iss: String
            let exp: Int
        }
        let claims: Claims?
        let seconds_left: Int?
    }

    @Test func headerClaimsAndTimeLeft() async throws {
        let run = try await rig.run(["token"])
        #expect(run.status == 0 && run.error.isEmpty)
        #expect(run.text.hasPrefix("header\n  alg"))
        #expect(run.text.contains("\nclaims\n") && run.text.contains("\"https://auth.bookshop.example\""))
        #expect(run.text.contains(/exp +[0-9]+  \([0-9-]{10}T[0-9:]{8}Z\)/))
        #expect(run.text.contains(/\ntime left: (5|4\.[89]|[0-9.]+) (min|s)\n$/))
    }

    @Test func asJSON() async throws {
        let run = try await rig.run(["token", "--json"])
        let shown = try JSONDecoder().decode(Shown.self, from: Data(run.out))
        #expect(shown.header?["alg"] == "HS256" && shown.claims?.iss == "https://auth.bookshop.example")
        #expect((200...300).contains(try #require(shown.seconds_left)))
    }

    @Test func theTokenItselfOnlyWhenAskedFor() async throws {
        let run = try await rig.run(["token", "--raw"], mayPrintToken: true)
        let token = run.text.trimmingCharacters(in: .newlines)
        #expect(run.status == 0 && token.split(separator: ".").count == 3)
        let call = try await rig.run(
            ["call", "GET", "/books/bk-1"], ["GATEWAY_BASE_URL": rig.gateway.apiURL, "GATEWAY_TOKEN": token])
        #expect(call.status == 0)
    }

    /// A fixed token that the API rejects cannot be renewed: no token can be obtained.
    @Test func aRejectedFixedTokenIsThree() async throws {
        let token = try rig.gateway.issueAccessToken().token.exposed
        rig.gateway.revokeCurrentTokens()
        let call = try await rig.run(
            ["call", "GET", "/books/bk-1"], ["GATEWAY_BASE_URL": rig.gateway.apiURL, "GATEWAY_TOKEN": token])
        #expect(call.status == 3 && call.out.isEmpty)
        #expect(call.error.hasPrefix("gateway: reauthentication_required"), "\(call.error)")
    }

    @Test func tokensOfFilesAndOfStandardInput() async throws {
        // Tenths of an hour: however slow this machine is.
        let ended = try rig.gateway.issueAccessToken(lifetime: .seconds(-5340)).token.exposed
        let path = try rig.file("token", ended + "\n")
        for (source, input) in [(path, CommandProcess.Input.nothing), ("-", .file(path))] {
            let run = try await rig.run(["token", "--file", source], [:], input: input)
            #expect(run.status == 0 && run.text.contains("\nended 1.5 h ago\n"), "\(run.text)")
        }
        let opaque = try await rig.run(["token", "-f", try rig.file("opaque", "planted-opaque")], [:])
        #expect(opaque.status == 0 && opaque.text.contains("opaque:") && opaque.text.contains("unknown"))
        #expect(!opaque.text.contains("planted"))
    }

    /// What a token says can be anything.
    @Test func hostileClaimsMoveNoCursor() async throws {
        func part(_ json: String) -> String {
            Data(json.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                .replacing("=", with: "")
        }
        let token =
            part("{\"alg\":\"none\"}") + "."
            + part("{\"sub\":\"\u{9B}31m\u{202E}x\",\"a\\u001bb\\ntime left: 9 h\":1}")
            + ".AA"
        for form in [[], ["--json"]] {
            let run = try await rig.run(["token", "-f", try rig.file("hostile", token)] + form, [:])
            #expect(run.status == 0)
            #expect(
                !run.text.contains("\u{1B}") && !run.text.contains("\u{9B}") && !run.text.contains("\u{202E}")
            )
            // A name is no line of its own.
            #expect(!run.text.contains("\ntime left: 9 h"), "\(run.text)")
        }
    }

    @Test func noCredentialIsWrongUsage() async throws {
        let run = try await rig.run(["token"], [:])
        #expect(run.status == 2 && run.error.contains("GATEWAY_TOKEN_URL"))
    }

    @Test func theStoreIsUsed() async throws {
        var variables = rig.client
        variables["GATEWAY_TOKEN_STORE"] = rig.folder + "/tokens"
        _ = try await rig.run(["token"], variables)
        let second = try await rig.run(["token", "-v"], variables)
        #expect(second.status == 0 && second.error.contains("token: found in the store, lives "))
        #expect(rig.gateway.statistics.tokenRequestCount == 1)
    }
}
