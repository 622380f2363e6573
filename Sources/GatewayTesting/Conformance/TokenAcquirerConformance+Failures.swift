import GatewayAuth
import GatewayCore

extension TokenAcquirerConformance {
    /// Responses without a valid grant, for all checks that need some.
    private static var badAnswers: [ConformanceEndpoint.Answer] {
        let mark = ConformanceEndpoint.mark
        return [
            refusal(400, "invalid_grant"), refusal(401, "invalid_client"), refusal(400, "invalid_scope"),
            refusal(400, "temporarily_unavailable"), .response(503, mark), .response(429, mark),
            .response(200, "<html>\(mark)</html>"), .response(401, mark), .response(302, mark),
            .response(200, #"{"access_token":"\#(mark) \#(mark)","token_type":"Bearer"}"#),
            .response(200, #"{"access_token":"\#(mark)","token_type":"\#(mark)"}"#),
            .response(200, #"{"refresh_token":"\#(mark)"}"#),
            .failure(NetworkError(.connectionRefused, "refused")), .failure(lost),
            .failure(NetworkError(.timeout, "late", mayHaveBeenSent: true)),
        ]
    }

    private static var lost: NetworkError {
        NetworkError(.connectionLost, "lost", mayHaveBeenSent: true)
    }

    private static func refusal(_ status: Int, _ code: String) -> ConformanceEndpoint.Answer {
        let mark = ConformanceEndpoint.mark
        return .response(
            status,
            #"{"error":"\#(code)","error_description":"Unknown: \#(ConformanceEndpoint.echo)","x":"\#(mark)"}"#
        )
    }

    // MARK: Requests

    /// Each acquisition makes one POST request, with any result: a second one may use up another refresh token.
    func oneRequest(_ found: inout Findings) async throws {
        for answer in [.grant] + Self.badAnswers {
            let endpoint = endpoint(answer)
            let acquirer = try await make(endpoint)
            _ = try? await acquire(acquirer)
            let exchanges = endpoint.exchanges
            found.expect(exchanges.count == 1, "\(exchanges.count) requests for one grant")
            for exchange in exchanges {
                found.expect(
                    exchange.parameters["grant_type"]?.isEmpty == false, "a request names no grant_type")
                found.expect(
                    !exchange.request.target.contains("?"),
                    "parameters go into the address, where servers log them")
            }
        }
    }

    /// The client authenticates in only one way. After a refusal no other way is tried, now or in the next acquisition.
    func noProbing(_ found: inout Findings) async throws {
        let endpoint = endpoint(Self.refusal(401, "invalid_client"))
        let acquirer = try await make(endpoint)
        for _ in 0..<2 { _ = try? await acquire(acquirer) }
        let styles = Set(
            endpoint.exchanges.map { exchange in
                [
                    exchange.request.fields.contains(.authorization),
                    exchange.parameters["client_secret"] != nil,
                    exchange.parameters["client_assertion"] != nil,
                ]
            })
        found.expect(endpoint.exchanges.count == 2, "\(endpoint.exchanges.count) requests for two refusals")
        found.expect(styles.count <= 1, "the second request proves the client otherwise")
        found.expect(styles.allSatisfy { $0.filter(\.self).count <= 1 }, "a request proves the client twice")
    }

    // MARK: Errors

    func failuresForGood(_ found: inout Findings) async throws {
        for (code, status) in [
            ("invalid_grant", 400), ("invalid_client", 401), ("unauthorized_client", 400),
            ("unsupported_grant_type", 400), ("invalid_scope", 400),
        ] {
            let error = try await failure(of: endpoint(Self.refusal(status, code)))
            found.expect(
                error.map(ConformanceFindings.isPermanent) == true,
                "\(code) is \(error.map(ConformanceFindings.name) ?? "no failure")")
        }
    }

    /// Transient errors are not permanent, and `Retry-After` is reported.
    func failuresInPassing(_ found: inout Findings) async throws {
        let answers: [(String, ConformanceEndpoint.Answer)] = [
            ("503", .response(503, "")), ("500", .response(500, "")), ("429", .response(429, "")),
            ("temporarily_unavailable", Self.refusal(400, "temporarily_unavailable")),
            ("a refused connection", .failure(NetworkError(.connectionRefused, "refused"))),
            ("a lost connection", .failure(Self.lost)),
            ("a timeout", .failure(NetworkError(.timeout, "late"))),
        ]
        for (name, answer) in answers {
            let error = try await failure(of: endpoint(answer))
            found.expect(
                error.map { !ConformanceFindings.isPermanent($0) } == true,
                "\(name) is \(error.map(ConformanceFindings.name) ?? "no failure")")
        }
        let late = try await failure(of: endpoint(.response(503, "", [.retryAfter: "17"])))
        found.expect((late as? NetworkError)?.retryAfter == .seconds(17), "how long to wait is not told")
    }

    /// If a refresh token may have been used up, a lost response is distinguished from a request that was not received.
    func lostAnswer(_ found: inout Findings) async throws {
        guard usesRefreshToken else { return }
        let lost = try await failure(of: endpoint(.failure(Self.lost)))
        let refused = try await failure(
            of: endpoint(.failure(NetworkError(.connectionRefused, "refused"))))
        found.expect(
            (lost as? NetworkError)?.code == .tokenOutcomeUnknown,
            "it is \(lost.map(ConformanceFindings.name) ?? "no failure")")
        found.expect(
            (refused as? NetworkError)?.code != .tokenOutcomeUnknown,
            "a request that never arrived counts as lost, too")
    }

    /// A response without a grant is an error with a code, with any status.
    func unusableAnswers(_ found: inout Findings) async throws {
        for (index, answer) in Self.badAnswers.enumerated() {
            let error = try await failure(of: endpoint(answer))
            found.expect(
                error is NetworkError,
                "answer \(index) is \(error.map(ConformanceFindings.name) ?? "taken for a grant")")
        }
    }

    // MARK: Ends

    /// The deadline of the request applies to the exchange, and nothing continues after it.
    func deadline(_ found: inout Findings) async throws {
        let endpoint = endpoint(.silence)
        let acquirer = try await make(endpoint)
        let request = request(within: .milliseconds(50))
        do {
            _ = try await acquire(acquirer, request)
            found.add("a grant comes without an answer")
        } catch is NeverEnds {
            found.add("it is passed without an end")
        } catch {
            found.expect(
                !ConformanceFindings.isPermanent(error),
                "it counts as an end for good: \(ConformanceFindings.name(error))")
        }
        let told = endpoint.exchanges.first?.deadline
        found.expect(told.map { $0 <= request.deadline } == true, "the exchange is given another")
        found.expect(endpoint.exchanges.count == 1, "\(endpoint.exchanges.count) requests until it passed")
    }

    /// A cancelled acquisition ends, makes no further request, and does not affect later acquisitions.
    func cancelled(_ found: inout Findings) async throws {
        let endpoint = endpoint(.silence)
        let acquirer = try await make(endpoint)
        let request = request()
        let trial = Trial { try await acquirer.acquire(request) }
        let arrival = Trial { await endpoint.gate.waitForArrivals(1) }
        guard await arrival.result(within: patience, clock: clock) != nil else {
            return found.add("nothing was sent")
        }
        trial.cancel()
        switch await trial.result(within: patience, clock: clock) {
        case nil: found.add("it goes on all the same")
        case .success: found.add("a grant comes without an answer")
        case .failure(let error):
            found.expect(
                !ConformanceFindings.isPermanent(error),
                "it counts as an end for good: \(ConformanceFindings.name(error))")
        }
        let again = Trial { try await acquirer.acquire(request) }
        let second = Trial { await endpoint.gate.waitForArrivals(2) }
        let isAsked = await second.result(within: patience, clock: clock) != nil
        again.cancel()
        found.expect(isAsked, "the next acquisition sends nothing")
        found.expect(endpoint.exchanges.count <= 2, "a cancelled request is sent again")
    }

    // MARK: Secrecy

    /// Nothing that can be printed contains a secret, a token or a part of the response, except `error` and an
    /// `error_description` without secrets.
    func noSecrets(_ found: inout Findings) async throws {
        let secrets =
            self.secrets.map(\.exposed) + [
                Self.previousRefreshToken, Self.previous.accessToken.exposed, ConformanceEndpoint.mark,
            ]
        for answer in Self.badAnswers {
            let endpoint = endpoint(answer)
            guard let error = try await failure(of: endpoint) else { continue }
            found.addLeaks(
                of: secrets + endpoint.received, in: ConformanceFindings.printed(error), from: "an error")
        }
        let endpoint = endpoint(.grant)
        let acquirer = try await make(endpoint)
        let grant = try await acquire(acquirer)
        for (name, value) in [("the acquirer", acquirer as Any), ("the grant", grant)] {
            found.addLeaks(
                of: secrets + endpoint.issued, in: ConformanceFindings.printed(value), from: name)
        }
    }
}
