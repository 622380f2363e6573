import GatewayAuth
import GatewayCore
import GatewayJSON
import GatewayTesting
import Testing

@Suite struct BearerCheckTests {
    @Test func withoutACredentialTheChallengeNamesNoError() async throws {
        let gateway = try EmbeddedGateway.start()
        for fields in [[:], ["Authorization": "Basic YTpi"], ["Authorization": "DPoP x"]] {
            let response = try await gateway.send("GET", "/v1/books", fields)
            #expect(response.status == 401)
            #expect(response.fields["www-authenticate"] == "Bearer realm=\"bookshop\"")
            #expect(response.fields["content-type"] == "application/problem+json")
        }
        #expect(gateway.statistics.unauthorized == 3)
        gateway.shutdown()
    }

    @Test(arguments: ["Bearer", "Bearer ", "Bearer a b", "Bearer ü"])
    func malformedCredentialsAreBadRequests(value: String) async throws {
        let gateway = try EmbeddedGateway.start()
        let response = try await gateway.send("GET", "/v1/books", ["Authorization": value])
        #expect(response.status == 400)
        #expect(response.fields["www-authenticate"]?.contains("error=\"invalid_request\"") == true)
        gateway.shutdown()
    }

    @Test func theSchemeIsCaseInsensitive() async throws {
        let gateway = try EmbeddedGateway.start()
        let token = try gateway.issueAccessToken().token.exposed
        #expect(
            try await gateway.send("GET", "/v1/books", ["Authorization": "bEARER \(token)"]).status == 200)
        gateway.shutdown()
    }

    @Test func tokensOfOthersAreInvalid() async throws {
        let (gateway, other) = (try EmbeddedGateway.start(), try EmbeddedGateway.start())
        let mine = try gateway.issueAccessToken().token.exposed
        let parts = mine.split(separator: ".")
        // {"alg":"none","typ":"JWT"}
        let unsigned = "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.\(parts[1])."
        for token in [
            try other.issueAccessToken().token.exposed, "abc", "a.b.c", unsigned,
            "\(parts[0]).\(parts[1]).AAAA", String(repeating: "a", count: 20_000),
        ] {
            let response = try await gateway.send("GET", "/v1/books", token: Secret(token))
            #expect(response.status == 401)
            #expect(response.fields["www-authenticate"]?.contains("error=\"invalid_token\"") == true)
            #expect(!response.text.contains(token))
        }
        #expect(gateway.journal.allSatisfy { $0.tokenGeneration == nil })
        gateway.shutdown()
        other.shutdown()
    }

    @Test func tokensExpireByTheGatewaysClock() async throws {
        let clock = ManualClock()
        var configuration = EmbeddedGateway.Configuration()
        configuration.clock = clock
        let gateway = try EmbeddedGateway.start(configuration)
        let token = try gateway.issueAccessToken(lifetime: .seconds(10)).token
        clock.advance(by: .seconds(9))
        #expect(try await gateway.send("GET", "/v1/books", token: token).status == 200)
        clock.advance(by: .seconds(1))
        let response = try await gateway.send("GET", "/v1/books", token: token)
        #expect(response.status == 401)
        #expect(
            response.fields["www-authenticate"]
                == "Bearer realm=\"bookshop\", error=\"invalid_token\", error_description=\"The access token expired\""
        )
        gateway.shutdown()
    }

    /// `exp` is in whole seconds; what is issued within one does not lose its rest.
    @Test func aTokenLivesAsLongAsItsClientIsTold() async throws {
        let clock = ManualClock(unixTime: .milliseconds(1_767_225_600_900))
        var configuration = EmbeddedGateway.Configuration()
        configuration.clock = clock
        let gateway = try EmbeddedGateway.start(configuration)
        let token = try gateway.issueAccessToken(lifetime: .seconds(10)).token
        let ended = try gateway.issueAccessToken(lifetime: .zero).token
        #expect(try await gateway.send("GET", "/v1/books", token: ended).status == 401)
        clock.advance(by: .milliseconds(9_999))
        #expect(try await gateway.send("GET", "/v1/books", token: token).status == 200)
        clock.advance(by: .milliseconds(101))
        #expect(try await gateway.send("GET", "/v1/books", token: token).status == 401)
        gateway.shutdown()
    }

    @Test func aRevokedGenerationIsRejectedAndLaterOnesAreNot() async throws {
        let gateway = try EmbeddedGateway.start()
        let (first, second) = (try gateway.issueAccessToken(), try gateway.issueAccessToken())
        #expect((first.claims.generation, second.claims.generation) == (1, 2))
        gateway.revokeTokens(upToGeneration: 1)
        #expect(try await gateway.send("GET", "/v1/books", token: first.token).status == 401)
        #expect(try await gateway.send("GET", "/v1/books", token: second.token).status == 200)
        #expect(gateway.revokeCurrentTokens() == 2)
        #expect(try await gateway.send("GET", "/v1/books", token: second.token).status == 401)
        let third = try gateway.issueAccessToken()
        #expect(try await gateway.send("GET", "/v1/books", token: third.token).status == 200)
        #expect(gateway.journal.map(\.tokenGeneration) == [1, 2, 2, 3])
        #expect(gateway.journal.map(\.status) == [401, 200, 401, 200])
        gateway.shutdown()
    }

    @Test func scopesDecide() async throws {
        let gateway = try EmbeddedGateway.start()
        let reader = try gateway.issueAccessToken(scopes: ["books:read"]).token
        let stock = #"{"copies":3}"#
        let response = try await gateway.send("PUT", "/v1/stock/bk-1", token: reader, json: stock)
        #expect(response.status == 403)
        let challenge = try #require(response.fields["www-authenticate"])
        #expect(
            challenge.contains("error=\"insufficient_scope\"") && challenge.contains("scope=\"stock:admin\""))
        #expect(gateway.statistics.forbidden == 1)
        let admin = try gateway.issueAccessToken(scopes: ["stock:admin"]).token
        #expect(try await gateway.send("PUT", "/v1/stock/bk-1", token: admin, json: stock).status == 200)
        #expect(try await gateway.send("GET", "/v1/books", token: admin).status == 403)
        // One scope of the two that the document lists as alternatives is enough.
        for scope in ["orders:read", "orders:write"] {
            let token = try gateway.issueAccessToken(scopes: [scope]).token
            #expect(try await gateway.send("GET", "/v1/orders/none", token: token).status == 404)
        }
        gateway.shutdown()
    }

    @Test func partnersMayReadAndNoMore() async throws {
        let gateway = try EmbeddedGateway.start()
        let partner = try gateway.issuePartnerToken().token
        #expect(try await gateway.send("GET", "/v1/books", token: partner).status == 200)
        #expect(try await gateway.send("DELETE", "/v1/books/bk-1", token: partner).status == 403)
        gateway.revokeCurrentTokens()
        #expect(try await gateway.send("GET", "/v1/books", token: partner).status == 401)
        gateway.shutdown()
    }

    @Test func routesOfOnesOwnAreGuardedToo() async throws {
        let gateway = try EmbeddedGateway.start()
        gateway.route(.get, "/mine", access: .scopes("mine")) { request in
            .text(request.token?.subject ?? "nobody")
        }
        gateway.route(.get, "/any", access: .anyToken) { _ in .status(204) }
        #expect(try await gateway.send("GET", "/mine").status == 401)
        let token = try gateway.issueAccessToken(subject: "ann", scopes: ["mine"]).token
        #expect(try await gateway.send("GET", "/mine", token: token).text == "ann")
        #expect(try await gateway.send("GET", "/any").status == 401)
        #expect(try await gateway.send("GET", "/any", token: gateway.issuePartnerToken().token).status == 204)
        gateway.shutdown()
    }

    @Test func nothingThatCanBePrintedHoldsASecret() async throws {
        let gateway = try EmbeddedGateway.start()
        let signedIn = try gateway.signIn()
        let token = signedIn.access.token
        let seen = OneRequest()
        gateway.route(.get, "/seen", access: .anyToken) { request in
            seen.set(request)
            return .status(204)
        }
        _ = try await gateway.send("GET", "/seen?key=SECRETQUERY", token: token)
        _ = try await gateway.requestToken([
            "grant_type": "refresh_token", "refresh_token": signedIn.refreshToken.exposed,
        ])
        var printed = ""
        dump(gateway.journal, to: &printed)
        dump(gateway.statistics, to: &printed)
        dump(seen.request, to: &printed)
        dump(signedIn, to: &printed)
        dump(gateway.client, to: &printed)
        dump(gateway, to: &printed)
        printed += "\(gateway.journal) \(String(describing: seen.request)) \(signedIn)"
        for secret in [
            token.exposed, signedIn.refreshToken.exposed, gateway.client.secret.exposed, "SECRETQUERY",
        ] { #expect(!printed.contains(secret)) }
        gateway.shutdown()
    }
}

/// Remembers a request for a test to look at.
final class OneRequest: Sendable {
    private let state = Locked<EmbeddedGateway.Request?>(nil)

    var request: EmbeddedGateway.Request? { state.withLock { $0 } }
    func set(_ request: EmbeddedGateway.Request) { state.withLock { $0 = request } }
}
