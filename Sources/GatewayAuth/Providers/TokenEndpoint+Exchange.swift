import GatewayCore

/// The requests to the authorization server.
extension TokenEndpoint {
    /// The maximum size of a response, in bytes.
    private static let maximumBytes = 1 << 20

    /// The parameters that contain no secrets. All other parameters are treated as secrets.
    private static let plainParameters: Set<String> = [
        "grant_type", "scope", "audience", "resource", "client_id", "client_assertion_type", "redirect_uri",
        "token_type_hint", "subject_token_type", "actor_token_type", "requested_token_type",
    ]

    /// Requests a token. If tokens are bound, the request has a proof, and is sent a second time if the server requires
    /// a nonce that the proof did not have.
    ///
    /// - Parameter parameters: returns the parameters; called once for each request.
    func tokenResponse(
        _ parameters: () throws(NetworkError) -> [(String, String)], spends: Bool, _ deadline: Deadline
    ) async throws(NetworkError) -> TokenResponse {
        guard let binding else {
            return try await post(
                try parameters(), to: place, operation: "token", spends: spends, deadline: deadline)
        }
        let nonce = binding.nonce(for: origin, .tokenEndpoint)
        let response = try await post(
            try parameters(), to: place, operation: "token", spends: spends, deadline: deadline,
            proving: (binding, nonce))
        guard response.errorCode == "use_dpop_nonce",
            let next = binding.nonce(for: origin, .tokenEndpoint), next != nonce
        else { return response }
        return try await post(
            try parameters(), to: place, operation: "token", spends: spends, deadline: deadline,
            proving: (binding, next))
    }

    /// Makes one exchange.
    ///
    /// - Parameters:
    ///   - endpoint: the kind of endpoint.
    ///   - spends: whether a lost response matters. If so, only the deadline limits the wait, not the shorter response
    ///     timeout of the transport.
    ///   - proof: the binding that signs the proof, and the nonce for it.
    func post(
        _ parameters: [(String, String)], to place: ParsedURL,
        _ endpoint: AuthorizationServerMetadata.Endpoint = .token, operation: Operation, spends: Bool = false,
        deadline: Deadline, proving proof: (binding: DPoPBinding, nonce: String?)? = nil
    ) async throws(NetworkError) -> TokenResponse {
        var parameters = parameters
        var fields: HTTPFields = [
            .accept: "application/json", .contentType: "application/x-www-form-urlencoded",
        ]
        let secret = try await client.apply(
            to: &fields, &parameters, endpoint: url, unixTime: clock.unixTime, random: random)
        if let (binding, nonce) = proof {
            fields[.dpop] =
                try binding.proof(
                    method: .post, origin: place.origin, target: place.target, accessToken: nil, nonce: nonce
                ).exposed
        }
        let request = HTTPRequest(
            method: .post, origin: place.origin, target: place.target, fields: fields,
            body: .text(URLEncodedForm.encode(parameters)))
        let answer: SmallAnswer
        do throws(NetworkError) {
            answer = try await transport.smallAnswer(
                to: request, operation, upToBytes: Self.maximumBytes, by: deadline, spends: spends,
                clock: clock)
        } catch {
            throw failure(error, at: place.origin, endpoint.label, spends: spends)
        }
        // An engine that followed a redirect has sent the secrets of the request to another origin, and the response
        // cannot be trusted.
        guard answer.origin == place.origin else {
            throw NetworkError(
                .tokenResponseMalformed,
                "The response came from \(answer.origin), not from the \(endpoint.label): redirects must not be followed there.",
                origin: place.origin, status: answer.status)
        }
        proof?.binding.remember(answer.fields, from: place.origin, .tokenEndpoint)
        let sent =
            parameters.filter { !Self.plainParameters.contains($0.0) }.map { Secret($0.1) }
            + [secret, fields[.authorization].map(Secret.init), fields[.dpop].map(Secret.init)]
            .compactMap(\.self)
        let grantType = parameters.first { $0.0 == "grant_type" }
            .flatMap { CredentialProblem.GrantType(rawValue: $0.1) }
        return TokenResponse(
            status: answer.status, body: answer.body, retryAfter: answer.retryAfter, origin: place.origin,
            endpoint: endpoint, grantType: grantType ?? .other,
            nonce: proof.map { NonceDemand(answer.fields, after: $0.nonce) } ?? .noProof, secrets: sent,
            fields: answer.fields)
    }

    private func failure(
        _ error: NetworkError, at origin: Origin, _ name: String, spends: Bool
    ) -> NetworkError {
        let (code, message): (NetworkError.Code, String) =
            switch error.code {
            case .responseTooLarge, .malformedResponse:
                (
                    .tokenResponseMalformed,
                    "The \(name) does not answer as OAuth 2 requires (\(error.code)). Check its URL."
                )
            case _ where spends && error.mayHaveBeenSent:
                (.tokenOutcomeUnknown, "The token request was sent and its response lost (\(error.code)).")
            default:
                (
                    .tokenUnavailable,
                    "The token service is unavailable: the \(name) could not be reached (\(error.code))."
                )
            }
        return NetworkError(
            code, message, origin: origin, phase: error.phase, retryAfter: error.retryAfter,
            underlying: error)
    }
}
