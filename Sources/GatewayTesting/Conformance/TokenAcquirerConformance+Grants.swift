import GatewayAuth
import GatewayCore
import GatewayJSON

extension TokenAcquirerConformance {
    /// The grant is returned completely, as the endpoint issued it.
    func grant(_ found: inout Findings) async throws {
        let endpoint = endpoint(.grant)
        let grant = try await acquire(try await make(endpoint))
        found.expect(endpoint.issued.first == grant.accessToken.exposed, "another token comes back")
        found.expect(grant.expiresIn == .seconds(300), "its lifetime is another")
        found.expect(
            !usesRefreshToken || grant.refreshToken?.exposed == endpoint.issued.last,
            "the new refresh token is lost")
        found.expect(grant.scopes == nil || grant.scopes == ["books:read"], "its scopes are others")
    }

    /// Grants are not cached, because each request needs a new token.
    func noCache(_ found: inout Findings) async throws {
        let endpoint = endpoint(.grant)
        let acquirer = try await make(endpoint)
        let first = try await acquire(acquirer)
        let second = try await acquire(acquirer)
        found.expect(first.accessToken != second.accessToken, "the same token comes twice")
        found.expect(endpoint.exchanges.count == 2, "\(endpoint.exchanges.count) requests for two grants")
    }

    /// Previous grants are not remembered, because another process may have refreshed the token since.
    func noMemory(_ found: inout Findings) async throws {
        let endpoint = endpoint(.grant)
        let acquirer = try await make(endpoint)
        let other = TokenKey(issuer: "https://login.example.com", client: "other", scopes: ["orders:read"])
        for key in [Self.key, other, Self.key] { _ = try await acquire(acquirer, request(key)) }
        let questions = endpoint.exchanges.map(\.question)
        found.expect(
            questions.count == 3 && questions.first == questions.last,
            "the same request is asked otherwise the second time")
    }

    /// The refresh token of the previous grant is used.
    func refreshToken(_ found: inout Findings) async throws {
        guard usesRefreshToken else { return }
        let endpoint = endpoint(.grant)
        _ = try await acquire(try await make(endpoint))
        let used = endpoint.exchanges.first?.parameters["refresh_token"]
        found.expect(used == Self.previousRefreshToken, "it is not the one of the grant before")
    }

    /// The grants whose requests use up a credential (RFC 6749 §4.1.2 and §6, RFC 8628 §3.4).
    private static let singleUseGrants: Set<String> = [
        "refresh_token", "authorization_code", "urn:ietf:params:oauth:grant-type:device_code",
    ]

    /// Requests that use up a credential are declared as single-use, so that no other request is made at the same time.
    func singleUse(_ found: inout Findings) async throws {
        let endpoint = endpoint(.grant)
        let acquirer = try await make(endpoint)
        let isSingleUse = acquirer.isSingleUse(after: Self.previous)
        _ = try await acquire(acquirer)
        let spends = endpoint.exchanges.contains {
            Self.singleUseGrants.contains($0.parameters["grant_type"] ?? "")
        }
        found.expect(isSingleUse || !spends, "it is not said that its requests are single-use")
    }

    /// There is no lock: keys do not wait for each other.
    func noLock(_ found: inout Findings) async throws {
        let endpoint = endpoint(.grant, isHeld: true)
        let acquirer = try await make(endpoint)
        let requests = (0..<8).map { request(TokenKey(client: "conformance", scopes: ["scope-\($0)"])) }
        let trials = requests.map { request in Trial { try await acquirer.acquire(request) } }
        let meeting = Trial { await endpoint.gate.waitForArrivals(requests.count) }
        let isMet = await meeting.result(within: patience, clock: clock) != nil
        endpoint.gate.open()
        found.expect(isMet, "one request waits for another")
        for trial in trials {
            guard case .success? = await trial.result(within: patience, clock: clock) else {
                found.add("a call of several at once fails")
                continue
            }
        }
    }

    /// Each key gets the token that was requested for it.
    func keysApart(_ found: inout Findings) async throws {
        let endpoint = endpoint(.grant, isHeld: true)
        let acquirer = try await make(endpoint)
        let scopes = (0..<8).map { "scope-\($0)" }
        let trials = scopes.map { scope in
            let request = request(TokenKey(client: "conformance", scopes: [scope]))
            return Trial { try await acquirer.acquire(request) }
        }
        let meeting = Trial { await endpoint.gate.waitForArrivals(scopes.count) }
        _ = await meeting.result(within: patience, clock: clock)
        endpoint.gate.open()
        for (scope, trial) in zip(scopes, trials) {
            let grant = try? await trial.result(within: patience, clock: clock)?.get()
            let asked = grant.flatMap { endpoint.scopes(of: $0.accessToken.exposed) }
            found.expect(asked == scope, "a key's token was not asked for with its scopes")
        }
    }

    /// The declared binding is the one that proves the requests and that the tokens are bound to, also if another
    /// acquirer is wrapped. Why: calls use only the declared binding for their proofs.
    func binding(_ found: inout Findings) async throws {
        let endpoint = endpoint(.grant)
        let acquirer = try await make(endpoint)
        let grant = try await acquire(acquirer)
        let proofs = endpoint.exchanges.flatMap { $0.request.fields.values(for: "DPoP") }
        guard let binding = acquirer.binding else {
            found.expect(proofs.isEmpty, "requests carry proofs, and it does not say by what")
            found.expect(grant.type != .dpop, "its tokens are bound, and it does not say to what")
            return
        }
        found.expect(
            proofs.count == endpoint.exchanges.count, "it has a binding, and a request carries no proof")
        found.expect(
            proofs.allSatisfy { Self.thumbprint($0) == binding.thumbprint },
            "a request is proven by another key than its binding's")
        found.expect(grant.type == .dpop, "it has a binding, and its token comes as a bearer token")
        found.expect(acquirer.binding === binding, "its binding is another each time")
    }

    /// The thumbprint of the key in a proof.
    private static func thumbprint(_ proof: String) -> String? {
        guard let key = (try? JSONWebToken(decoding: Secret(proof)))?.header["jwk"]?.object else {
            return nil
        }
        return ProofCheck.thumbprint(key)
    }
}
