import GatewayClient
import GatewayTesting
import Testing

/// `events.every-call`: each call has one start and one end, however early it fails.
@Suite struct EveryCallTests {
    private let recorder = EventRecorder()

    /// The ways of a typed call, and how its caller sees it end.
    enum Way: String, CaseIterable, Sendable {
        case answered, documentedFailure, undocumentedStatus, undecodable, wrongMediaType, lost
        case invalidURL, unknownServer, insecureOrigin, missingCredential, invalidParameter, invalidField
        case misconfigured, closed, cancelled

        var end: String {
            switch self {
            case .answered: "succeeded 200"
            case .documentedFailure: "succeeded 404"
            case .undocumentedStatus: "succeeded 418"
            case .undecodable, .wrongMediaType: "decoding_failed"
            case .lost: "connection_lost"
            case .invalidURL, .unknownServer: "invalid_url"
            case .insecureOrigin: "insecure_origin"
            case .missingCredential: "credential_missing"
            case .invalidParameter, .invalidField: "invalid_request"
            case .misconfigured: "misconfigured"
            case .closed: "closed"
            case .cancelled: "cancelled"
            }
        }

        var reply: ScriptedTransport.Reply {
            switch self {
            case .documentedFailure: .json(404, #"{"title": "None", "status": 404}"#)
            case .undocumentedStatus: .status(418)
            case .undecodable: .json(200, "{")
            case .wrongMediaType: .status(200, fields: ["Content-Type": "text/html"], "<p>")
            case .lost: .failure(NetworkError(.connectionLost, "Lost.", mayHaveBeenSent: true))
            default: .json(200, BookshopCallTests.book)
            }
        }
    }

    private func engine(_ way: Way) -> GatewayEngine {
        var configuration = GatewayConfiguration()
        configuration.events = recorder
        configuration.retry.policy = .never
        if way == .misconfigured { configuration.deadline = .zero }
        return GatewayEngine(
            transport: ScriptedTransport(way.reply), tokenTransport: ScriptedTransport(),
            configuration: configuration)
    }

    private func client(_ way: Way, _ engine: GatewayEngine) -> BookshopClient {
        let url =
            switch way {
            case .invalidURL: "no url"
            case .unknownServer: "ftp://api.test"
            case .insecureOrigin: "http://api.test"
            default: "https://api.test/v1"
            }
        var defaults = CallOptions()
        if way == .invalidField { defaults.fields = ["X-Broken": "a\nb"] }
        let token: OAuthCredential? = way == .missingCredential ? nil : .token("t")
        return BookshopClient(
            server: .init(url: url), credentials: .init(bookshopAuth: token), defaults: defaults,
            engine: engine)
    }

    /// The ends of all calls.
    private var ends: [String] {
        recorder.events.compactMap { event in
            switch event.kind {
            case .succeeded(let status, _, _): "succeeded \(status)"
            case .failed(let cause, _, _): cause.code.name
            case .cancelled: "cancelled"
            default: nil
            }
        }
    }

    private var starts: [RequestEvent] {
        recorder.events.filter { event in
            if case .started = event.kind { return true }
            return false
        }
    }

    @Test(arguments: Way.allCases)
    func aTypedCallHasOneStartAndOneEnd(way: Way) async throws {
        let engine = engine(way)
        if way == .closed { await engine.shutdown(within: .zero) }
        let api = client(way, engine)
        let gate = Gate()
        let call = Task { () async -> NetworkError.Code? in
            await gate.pass()
            do {
                _ = try await api.books.get(bookId: way == .invalidParameter ? ".." : "b")
                return nil
            } catch let error as any GatewayCallError {
                return error.code
            } catch { return .other }
        }
        if way == .cancelled { call.cancel() }
        gate.open()
        let code = await call.value
        #expect(ends == [way.end] && starts.count == 1, "\(recorder.events.map(\.kind))")
        #expect((code == nil) == (way == .answered))
        if let code, !way.end.hasPrefix("succeeded") { #expect(code.name == way.end) }
        #expect(starts.first?.operation?.id == "getBook" && starts.first?.method == .get)
        #expect(Set(recorder.events.map(\.callID)).count == 1)
    }

    /// The server has answered: its status is that of the attempt.
    @Test(arguments: [Way.undecodable, .wrongMediaType])
    func theStatusOfWhatCannotBeDecodedIsCountedApart(way: Way) async throws {
        _ = try? await client(way, engine(way)).books.get(bookId: "b")
        let statuses = recorder.events.compactMap { event -> AttemptEnd.Outcome? in
            if case .attemptEnded(let end) = event.kind { return end.outcome }
            return nil
        }
        #expect(statuses == [.response(status: 200)] && ends == ["decoding_failed"])
    }

    /// What is only prepared is no call.
    @Test func aPreparedCallIsNone() async throws {
        let api = client(.invalidURL, engine(.invalidURL))
        await #expect(throws: (any Error).self) {
            _ = try await PreparedCall { try await api.books.get(bookId: "b") }
        }
        #expect(recorder.events.isEmpty)
    }

    private struct GetNumber: NetworkRequest {
        let url: String

        func httpRequest() throws(NetworkError) -> HTTPRequest { try HTTPRequest(.get, url) }
        func decode(_ response: HTTPResponse) throws -> Int { try response.json(Int.self) }
    }

    @Test(arguments: [
        ("https://api.test/x", "7", "succeeded 200"), ("https://api.test/x", "{", "decoding_failed"),
        ("no url", "7", "invalid_url"),
    ])
    func aCallByHandHasOneStartAndOneEnd(url: String, body: String, end: String) async throws {
        var configuration = GatewayConfiguration()
        configuration.events = recorder
        let engine = GatewayEngine(
            transport: ScriptedTransport(.json(200, body)), tokenTransport: ScriptedTransport(),
            configuration: configuration)
        let value = try? await engine.send(GetNumber(url: url))
        #expect((value == 7) == (end == "succeeded 200"))
        #expect(ends == [end] && starts.count == 1)
    }

    /// Its sink is one more; a sink that is both receives each event once.
    @Test(arguments: [false, true])
    func aCallWithASinkOfItsOwnReachesThatOfTheEngine(isSame: Bool) async throws {
        let own = isSame ? recorder : EventRecorder()
        var context = RequestContext()
        context.events = own
        _ = try await engine(.answered).send(try HTTPRequest(.get, "https://api.test/x"), context: context)
        #expect(ends == ["succeeded 200"] && starts.count == 1)
        #expect(own.events.count == recorder.events.count)
    }
}
