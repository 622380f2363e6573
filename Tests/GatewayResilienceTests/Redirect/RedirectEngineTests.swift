import GatewayCore
import GatewayResilience
import GatewayTesting
import Testing

@Suite struct RedirectEngineTests {
    private func engine(
        _ transport: ScriptedTransport, policy: RedirectPolicy = RedirectPolicy()
    ) -> RedirectEngine<AttemptEngine> {
        RedirectEngine(below: AttemptEngine(transport: transport), policy: policy)
    }

    private func redirect(_ status: Int, to location: String) -> ScriptedTransport.Reply {
        .status(status, fields: [.location: location])
    }

    private static let secrets: HTTPFields = [
        .authorization: "Bearer hunter2", .cookie: "hunter2", "X-Api-Key": "hunter2",
        .idempotencyKey: "hunter2",
        "Proxy-Authorization": "hunter2", "DPoP": "hunter2", .accept: "application/json",
        "X-Tenant": "hunter2",
    ]

    @Test(arguments: [
        "https://b.example/x", "https://a.example:444/x", "https://sub.a.example/x", "//b.example/x",
    ])
    func onlyListedFieldsReachAnotherOrigin(location: String) async throws {
        let transport = ScriptedTransport(redirect(307, to: location), .status(200))
        let request = try HTTPRequest(.get, "https://a.example/", fields: Self.secrets)
        #expect(try await engine(transport).send(request, context: RequestContext()).status == 200)
        #expect(transport.requests[1].fields == [.accept: "application/json"])
    }

    @Test func aStreamedRedirectIsGivenUpBeforeTheNextHop() async throws {
        let stream = HeldStream()
        let transport = ScriptedTransport { _, index in
            index == 0
                ? .streamed(status: 302, fields: [.location: "/y"], stream.chunks())
                : .status(200, "\(stream.holders)")
        }
        let request = try HTTPRequest(.get, "https://a.example/x")
        let response = try await engine(transport).send(request, context: RequestContext())
        #expect(response.body.bytes == Array("0".utf8))
    }

    @Test func fieldsStayWithinTheOrigin() async throws {
        let transport = ScriptedTransport(redirect(302, to: "../y?z"), .status(200))
        let request = try HTTPRequest(.get, "https://a.example/v1/x", fields: Self.secrets)
        let response = try await engine(transport).send(request, context: RequestContext())
        #expect(transport.requests[1].fields == Self.secrets)
        #expect(transport.requests[1].target == "/y?z")
        #expect(response.exchange.attempts == 2)
    }

    @Test func aCredentialNeverLeavesItsOriginAndDoesNotComeBack() async throws {
        let transport = ScriptedTransport(
            redirect(307, to: "/in"), redirect(307, to: "https://b.example/"),
            redirect(307, to: "https://a.example/back"), .status(200))
        var context = RequestContext()
        context.credentials = StampingCredential()
        _ = try await engine(transport).send(try HTTPRequest(.get, "https://a.example/"), context: context)
        #expect(transport.requests.map { $0.fields.contains(.authorization) } == [true, true, false, false])
    }

    @Test func baggageNeverLeavesItsOriginAndDoesNotComeBack() async throws {
        let transport = ScriptedTransport(
            redirect(307, to: "/in"), redirect(307, to: "https://b.example/"),
            redirect(307, to: "https://a.example/back"), .status(200))
        let below = AttemptEngine(transport: transport, instrument: TracePropagation())
        var context = RequestContext()
        context.baggage = Baggage([try #require(Baggage.Member("user", "anna"))])
        _ = try await RedirectEngine(below: below).send(
            try HTTPRequest(.get, "https://a.example/"), context: context)
        #expect(transport.requests.map { $0.fields["baggage"] } == ["user=anna", "user=anna", nil, nil])
    }

    @Test(arguments: [
        ("https://a.example/", "http://a.example/"), ("http://a.example/", "ftp://a.example/"),
        ("http://a.example/", "file:///etc/passwd"), ("https://a.example/", "javascript:x"),
    ])
    func downgradesAndOtherSchemesAreRefused(from: String, to: String) async throws {
        let transport = ScriptedTransport(redirect(301, to: to), .status(200))
        let request = try HTTPRequest(.get, from)
        let error = await #expect(throws: NetworkError.self) {
            try await self.engine(transport).send(request, context: RequestContext())
        }
        #expect(error?.code == .redirectRefused)
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: [
        (301, HTTPMethod.post, HTTPMethod.get), (302, .post, .get), (303, .post, .get), (303, .put, .get),
        (303, .head, .head), (301, .put, .put), (302, .delete, .delete), (307, .post, .post),
        (308, .patch, .patch),
        (301, .get, .get),
    ])
    func methods(status: Int, before: HTTPMethod, after: HTTPMethod) async throws {
        let transport = ScriptedTransport(redirect(status, to: "/y"), .status(200))
        let body = before == .head ? HTTPBody.empty : .text("content")
        let request = try HTTPRequest(before, "http://a/", fields: [.contentType: "text/plain"], body: body)
        _ = try await engine(transport).send(request, context: RequestContext())
        let second = transport.requests[1]
        #expect(second.method == after)
        #expect(second.body.isEmpty == (before != after || before == .head))
        #expect(second.fields.contains(.contentType) == (before == after))
    }

    @Test func circlesEnd() async throws {
        let transport = ScriptedTransport(redirect(302, to: "/"))
        let error = await #expect(throws: NetworkError.self) {
            try await self.engine(transport, policy: RedirectPolicy(maximumHops: 3)).send(
                try HTTPRequest(.get, "http://a/"), context: RequestContext())
        }
        #expect(error?.code == .redirectRefused)
        #expect(error?.attempts == 4)
        #expect(
            error?.message == "More than 3 redirects (maximumHops); the next one leads to http://a.")
        #expect(transport.requests.count == 4)
    }

    @Test func equalLocationsAreOne() async throws {
        var fields: HTTPFields = [.location: "/y,z"]
        fields.append(.location, "/y,z")
        let transport = ScriptedTransport(.status(302, fields: fields), .status(200))
        let request = try HTTPRequest(.get, "https://a.example/x")
        #expect(try await engine(transport).send(request, context: RequestContext()).status == 200)
        #expect(transport.requests[1].target == "/y,z")
    }

    @Test func locationsThatDifferAreNotFollowed() async throws {
        var fields: HTTPFields = [.location: "/s3cret"]
        fields.append(.location, "https://b.example/s3cret")
        let transport = ScriptedTransport(.status(302, fields: fields), .status(200))
        let error = await #expect(throws: NetworkError.self) {
            try await self.engine(transport).send(
                try HTTPRequest(.get, "https://a.example/"), context: RequestContext())
        }
        #expect(error?.code == .redirectRefused)
        #expect(error?.message.contains("several Location fields") == true)
        #expect(error.map { "\($0)".contains("s3cret") } == false)
        #expect(transport.requests.count == 1)
    }

    @Test func bytesOfALocationThatAreNotUTF8AreKept() async throws {
        var fields = HTTPFields()
        fields.append(HTTPField(.location, bytes: Array("/caf".utf8) + [0xE9]))
        let transport = ScriptedTransport(
            .status(302, fields: fields), redirect(302, to: "/caf\u{E9}"), .status(200))
        let request = try HTTPRequest(.get, "https://a.example/x")
        #expect(try await engine(transport).send(request, context: RequestContext()).status == 200)
        #expect(transport.requests.map(\.target) == ["/x", "/caf%E9", "/caf%C3%A9"])
    }

    @Test func theTargetOfARefusedRedirectIsNamed() async throws {
        let transport = ScriptedTransport(redirect(302, to: "http://b.example:8080/s3cret?s3cret"))
        let error = await #expect(throws: NetworkError.self) {
            try await self.engine(transport).send(
                try HTTPRequest(.get, "https://a.example/"), context: RequestContext())
        }
        #expect(
            error?.description
                == "redirect_refused at https://a.example after 1 attempt: The 302 response redirects from https to "
                + "http://b.example:8080, which is not followed: the request would leave TLS.")
        let other = ScriptedTransport(redirect(302, to: "ftp://s3cret@b.example/s3cret"))
        let refused = await #expect(throws: NetworkError.self) {
            try await self.engine(other).send(
                try HTTPRequest(.get, "https://a.example/"), context: RequestContext())
        }
        #expect(
            refused?.message.hasPrefix(
                "The Location of the 302 response is not a valid http or https URL: ") == true)
        #expect(refused.map { "\($0)".contains("s3cret") } == false)
    }

    /// The server that redirected the call has seen it.
    @Test func aHopThatFailsDoesNotUndoTheFirst() async throws {
        let transport = ScriptedTransport(
            redirect(303, to: "/y"), .failure(NetworkError(.connectionRefused, "Refused.")))
        let error = await #expect(throws: NetworkError.self) {
            try await self.engine(transport).send(
                try HTTPRequest(.post, "http://a/", body: .text("x")), context: RequestContext())
        }
        #expect(error?.code == .connectionRefused && error?.attempts == 2 && error?.mayHaveBeenSent == true)
    }

    @Test func whatCannotBeSentAgainIsReturned() async throws {
        let transport = ScriptedTransport { request, _ in
            if case .once(_, let stream) = request.body.storage { _ = stream.take() }
            return .status(307, fields: [.location: "/y"])
        }
        let body = HTTPBody.once(AsyncThrowingStream { $0.finish() })
        let response = try await engine(transport).send(
            try HTTPRequest(.post, "http://a/", body: body), context: RequestContext())
        #expect(response.status == 307)
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: [300, 304, 305, 306])
    func otherStatusesAreAnswers(status: Int) async throws {
        let transport = ScriptedTransport(redirect(status, to: "/y"))
        let response = try await engine(transport).send(
            try HTTPRequest(.get, "http://a/"), context: RequestContext())
        #expect(response.status == status)
    }

    @Test func noneFollowsNone() async throws {
        let transport = ScriptedTransport(redirect(302, to: "/y"))
        let response = try await engine(transport, policy: .none).send(
            try HTTPRequest(.get, "http://a/"), context: RequestContext())
        #expect(response.status == 302)
        #expect(transport.requests.count == 1)
    }
}

/// Stamps whatever it is given.
private final class StampingCredential: CredentialSource {
    let identity = CredentialIdentity(key: "k", epoch: 1)
    func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError) {}
    func stamp(
        _ request: inout HTTPRequest, atLeast generation: UInt64
    ) throws(NetworkError) -> CredentialStamp? {
        request.fields[.authorization] = "Bearer hunter2"
        return CredentialStamp(identity: identity, generation: 1)
    }
}
