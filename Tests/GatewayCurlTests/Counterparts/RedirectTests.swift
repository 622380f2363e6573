import GatewayCore
import GatewayCurl
import GatewayResilience
import Testing

/// The engine's redirects over the wire: httpbin sends them, httpbin and nginx tell what arrived.
@Suite(.needsHTTPBin, .needsNginx)
struct RedirectTests {
    private let httpbin = Counterparts.httpbin ?? ""
    private let nginx = Counterparts.nginx ?? ""
    private let transport = trusting()

    private func send(
        _ method: HTTPMethod = .get, _ url: String, fields: HTTPFields = HTTPFields(),
        body: HTTPBody = .empty,
        credentials: (any CredentialSource)? = nil
    ) async throws -> HTTPResponse {
        var context = RequestContext()
        context.credentials = credentials
        return try await redirecting(transport).send(
            HTTPRequest(method, url, fields: fields, body: body), context: context)
    }

    @Test(arguments: ["redirect", "relative-redirect", "absolute-redirect"], [1, 3, 10])
    func chainsAreFollowed(kind: String, hops: Int) async throws {
        let response = try await send(.get, "\(httpbin)/\(kind)/\(hops)")
        #expect(response.status == 200)
        #expect(try response.json()["url"] as? String == httpbin + "/get")
        #expect(response.exchange.attempts == hops + 1)
    }

    @Test func longerChainsAreRefused() async throws {
        let error = await #expect(throws: NetworkError.self) {
            try await send(.get, httpbin + "/redirect/11")
        }
        #expect(error?.code == .redirectRefused && error?.attempts == 11)
        let none = try await redirecting(transport, policy: .none)
            .send(HTTPRequest(.get, httpbin + "/redirect/1"), context: RequestContext())
        #expect(none.status == 302)
    }

    @Test(arguments: [
        (301, HTTPMethod.post, HTTPMethod.get), (302, .post, .get), (303, .post, .get), (307, .post, .post),
        (308, .post, .post), (301, .put, .put), (303, .put, .get), (308, .patch, .patch),
        (302, .delete, .delete),
        (301, .get, .get),
    ])
    func methodsAndContentGoAlong(status: Int, before: HTTPMethod, after: HTTPMethod) async throws {
        let url = "\(httpbin)/redirect-to?status_code=\(status)&url=\(escaped(httpbin + "/anything?a=b"))"
        let hasContent = before != .get && before != .delete
        let response = try await send(
            before, url,
            fields: hasContent ? [.contentType: "text/plain", .idempotencyKey: "k1"] : HTTPFields(),
            body: hasContent ? .text("content") : .empty)
        let echo = try response.json()
        #expect(echo["method"] as? String == after.rawValue)
        #expect(echo["data"] as? String == (hasContent && before == after ? "content" : ""))
        #expect((echo["args"] as? [String: String]) == ["a": "b"])
        let fields = try response.echoedFields()
        #expect((fields["idempotency-key"] != nil) == (hasContent && before == after))
        #expect((fields["content-type"] != nil) == (hasContent && before == after))
    }

    /// To another port nothing goes along that anybody could misuse; within the origin all of it does.
    @Test(arguments: [307, 308, 302])
    func secretsStayWithTheirOrigin(status: Int) async throws {
        let secrets: HTTPFields = [
            .authorization: "Bearer hunter2", "X-API-Key": "hunter2", .idempotencyKey: "hunter2",
            .cookie: "a=hunter2", .accept: "text/plain",
        ]
        let out = try await send(
            .get, "\(httpbin)/redirect-to?status_code=\(status)&url=\(escaped(nginx + "/echo-fields"))",
            fields: secrets)
        #expect(out.text == "authorization=;key=;idempotency=;cookie=;accept=text/plain")

        let other = try await send(.get, "\(nginx)/redirect?to=\(httpbin)/anything", fields: secrets)
        #expect(!other.text.contains("hunter2"))
        #expect(try other.echoedFields()["accept"] == "text/plain")

        let within = try await send(.get, "\(nginx)/redirect?to=\(nginx)/echo-fields", fields: secrets)
        #expect(
            within.text
                == "authorization=Bearer hunter2;key=hunter2;idempotency=hunter2;cookie=a=hunter2;accept=text/plain"
        )

        // There and back: whoever sent the call there chose the way back.
        let back = escaped(nginx + "/echo-fields")
        let returned = try await send(
            .get, "\(nginx)/redirect?to=\(httpbin)/redirect-to?url=\(back)", fields: secrets)
        #expect(returned.text == "authorization=;key=;idempotency=;cookie=;accept=text/plain")
    }

    @Test func aCredentialStaysWithItsOrigin() async throws {
        let credential = FixedCredential()
        let own = try await send(.get, httpbin + "/anything", credentials: credential)
        #expect(try own.echoedFields()["authorization"] == "Bearer hunter2")
        let within = try await send(.get, httpbin + "/redirect/2", credentials: credential)
        #expect(try within.echoedFields()["authorization"] == "Bearer hunter2")
        let out = try await send(
            .get, "\(httpbin)/redirect-to?url=\(escaped(nginx + "/echo-fields"))", credentials: credential)
        #expect(out.text.hasPrefix("authorization=;"))
    }

    @Test func fromHTTPSToHTTPIsRefused() async throws {
        let tls = Counterparts.nginxTLS ?? ""
        let error = await #expect(throws: NetworkError.self) {
            try await send(.get, "\(tls)/redirect?to=\(nginx)/ok")
        }
        #expect(error?.code == .redirectRefused && error?.attempts == 1)
        #expect(try await send(.get, "\(tls)/redirect?to=\(tls)/ok").text == "ok")
        #expect(try await send(.get, "\(nginx)/redirect?to=\(tls)/ok").text == "ok")
        for place in ["file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/x"] {
            let error = await #expect(throws: NetworkError.self) {
                try await send(.get, "\(nginx)/redirect?to=\(place)")
            }
            #expect(error?.code == .redirectRefused)
        }
    }

    @Test func aStreamGoesAlongWhereItCan() async throws {
        let url = "\(httpbin)/redirect-to?status_code=307&url=\(escaped(httpbin + "/anything"))"
        @Sendable func stream() -> AsyncThrowingStream<HTTPBody.Chunk, any Error> {
            AsyncThrowingStream { continuation in
                for word in ["one ", "two ", "three"] { continuation.yield(Array(word.utf8)[...]) }
                continuation.finish()
            }
        }
        let again = try await send(
            .post, url, fields: [.contentType: "text/plain"], body: .replayable(stream))
        #expect(try again.json()["data"] as? String == "one two three")
        let once = try await send(.post, url, fields: [.contentType: "text/plain"], body: .once(stream()))
        // Where the answer came before anything was taken of the stream, it still could go along, whole.
        if once.status != 307 { #expect(try once.json()["data"] as? String == "one two three") }
    }
}

/// The same token for every attempt.
private final class FixedCredential: CredentialSource {
    let identity = CredentialIdentity(key: "test", epoch: 1)
    func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError) {}
    func stamp(
        _ request: inout HTTPRequest, atLeast generation: UInt64
    ) throws(NetworkError) -> CredentialStamp? {
        request.fields[.authorization] = "Bearer hunter2"
        return CredentialStamp(identity: identity, generation: 1)
    }
}
