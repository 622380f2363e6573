import GatewayCore

/// The exchanges with the authorization server.
extension TokenEndpoint {
    /// Answers are small; whatever is larger is none.
    private static let maximumBytes = 256 << 10

    /// The answer of the token endpoint. Where tokens are bound the request carries a proof, and is sent a second time
    /// where the server names a nonce that the proof did not have.
    ///
    /// - Parameter parameters: asked for anew for each request.
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
    ///   - spends: whether a lost answer matters. Then it is waited for until the deadline, and a shorter limit of the
    ///     transport for the answer does not count.
    ///   - proof: what proves the request, and the nonce in it.
    func post(
        _ parameters: [(String, String)], to place: ParsedURL, operation: StaticString, spends: Bool = false,
        deadline: Deadline, proving proof: (binding: DPoPBinding, nonce: String?)? = nil
    ) async throws(NetworkError) -> TokenResponse {
        var parameters = parameters
        var fields: HTTPFields = [
            .accept: "application/json", .contentType: "application/x-www-form-urlencoded",
        ]
        try await client.apply(
            to: &fields, &parameters, endpoint: url, unixTime: clock.unixTime, random: random)
        if let (binding, nonce) = proof {
            fields[.dpop] =
                try binding.proof(
                    method: .post, origin: place.origin, target: place.target, accessToken: nil, nonce: nonce
                ).exposed
        }
        let request = HTTPRequest(
            method: .post, origin: place.origin, target: place.target, fields: fields,
            body: .text(FormEncoding.body(parameters)))
        let answer: SmallAnswer
        do throws(NetworkError) {
            answer = try await transport.smallAnswer(
                to: request, operation, upToBytes: Self.maximumBytes, by: deadline, spends: spends,
                clock: clock)
        } catch {
            throw failure(error, at: place.origin, spends: spends)
        }
        // An engine that followed a redirect has sent the secrets of the request elsewhere, and nobody vouches for what
        // came back.
        guard answer.origin == place.origin else {
            throw NetworkError(
                .tokenResponseMalformed,
                "The answer came from \(answer.origin), not from the token endpoint: its redirects must not be followed.",
                origin: place.origin, status: answer.status)
        }
        proof?.binding.remember(answer.fields, from: place.origin, .tokenEndpoint)
        return TokenResponse(
            status: answer.status, body: answer.body, retryAfter: answer.retryAfter, origin: place.origin)
    }

    private func failure(_ error: NetworkError, at origin: Origin, spends: Bool) -> NetworkError {
        let (code, message): (NetworkError.Code, String) =
            switch error.code {
            case .responseTooLarge, .malformedResponse:
                (.tokenResponseMalformed, "The token endpoint does not speak OAuth 2.")
            case _ where spends && error.mayHaveBeenSent:
                (.tokenOutcomeUnknown, "The token request was sent and its answer lost (\(error.code)).")
            default: (.tokenUnavailable, "The token endpoint could not be reached (\(error.code)).")
            }
        return NetworkError(
            code, message, origin: origin, phase: error.phase, retryAfter: error.retryAfter,
            underlying: error)
    }
}
