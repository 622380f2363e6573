import Foundation
import GatewayAuth
import GatewayCore
import GatewayCurl
import GatewayTesting
import TestTiers
import Testing

/// What a server does on an idle connection, unasked, before the next request.
@Suite(.tags(.concurrent), .timeLimit(.minutes(1))) struct UnsolicitedBytesTests {
    /// How the first response is framed.
    enum First: CaseIterable {
        case length, empty, chunked, noContent, notModified, head

        var method: HTTPMethod { self == .head ? .head : .get }

        var text: String {
            switch self {
            case .length: ok("first")
            case .empty: ok("")
            case .chunked: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n0\r\n\r\n"
            case .noContent: "HTTP/1.1 204 No Content\r\n\r\n"
            case .notModified: "HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n"
            case .head: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
            }
        }
    }

    /// What the server does then.
    enum Then: CaseIterable {
        case response, requestTimeout, badRequest, line, byte, interim, end, halfEnd, reset

        var text: String {
            switch self {
            case .response: ok("another's")
            case .requestTimeout:
                "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
            case .badRequest: "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
            case .line: "\r\n"
            case .byte: "H"
            case .interim: "HTTP/1.1 103 Early Hints\r\n\r\n"
            case .end, .halfEnd, .reset: ""
            }
        }
    }

    /// A server whose first connection does something after its first response when it is told to. Each response says
    /// which request it is for.
    private final class Server: Sendable {
        private let mayAct = ThreadGate()
        let hasActed = Gate()
        let fault: FaultServer

        init(_ first: First, _ then: Then, isSecure: Bool) {
            let (mayAct, hasActed) = (mayAct, hasActed)
            fault = FaultServer(identity: isSecure ? ServerIdentity.shared : nil) { connection in
                if connection.number == 1 {
                    guard connection.readRequest() != nil else { return }
                    connection.write(first.text)
                    mayAct.wait()
                    Self.act(then, on: connection)
                    hasActed.open()
                    if then == .end || then == .reset { return }
                }
                while let request = connection.readRequest() { connection.write(ok(request.line)) }
            }
        }

        private static func act(_ then: Then, on connection: FaultConnection) {
            switch then {
            case .reset: connection.reset()
            case .end:
                connection.endSession()
                connection.close()
            case .halfEnd:
                connection.endSession()
                connection.endWriting()
            default: connection.write(then.text)
            }
            if then != .reset, then != .end { connection.waitForAcknowledgement() }
        }

        func act() async {
            mayAct.open()
            await hasActed.pass()
        }

        func stop() {
            mayAct.open()
            fault.stop()
        }
    }

    /// Each request gets its own response, and is sent once, whatever lies on the connection that was kept.
    private func check(
        _ first: First, _ then: Then, isSecure: Bool, method: HTTPMethod,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let server = Server(first, then, isSecure: isSecure)
        defer { server.stop() }
        let transport = transport {
            $0.connectionsPerOrigin = 1
            $0.caFile = isSecure ? ServerIdentity.shared?.certificate : nil
        }
        _ = try await transport.send(first.method, server.fault.url + "/first")
        await server.act()
        for path in ["/second", "/third"] {
            let response = try await transport.send(
                method, server.fault.url + path, body: method == .post ? .text("pay 100") : .empty)
            #expect(
                response.text == "\(method) \(path) HTTP/1.1", "\(first) \(then)",
                sourceLocation: sourceLocation)
        }
        let lines = server.fault.requests.map(\.line)
        #expect(
            lines == [
                "\(first.method) /first HTTP/1.1", "\(method) /second HTTP/1.1", "\(method) /third HTTP/1.1",
            ],
            "\(first) \(then)", sourceLocation: sourceLocation)
        #expect(server.fault.connectionCount == 2, sourceLocation: sourceLocation)
    }

    @Test(arguments: First.allCases, Then.allCases)
    func aConnectionWithAnythingToReadIsNotUsed(first: First, then: Then) async throws {
        try await check(first, then, isSecure: false, method: .post)
    }

    @Test(.needsServerIdentity, arguments: Then.allCases)
    func norOneWithTLS(then: Then) async throws {
        for method in [HTTPMethod.get, .post] {
            try await check(.length, then, isSecure: true, method: method)
        }
    }

    /// The server writes a second response directly behind the first, in one record of TLS: what libcurl does not read
    /// stays in OpenSSL.
    @Test(.needsServerIdentity)
    func norOneWhoseSessionHoldsBytes() async throws {
        let body = String(repeating: "x", count: 100_000)
        let server = FaultServer(identity: ServerIdentity.shared) { connection in
            if connection.number == 1 {
                guard connection.readRequest() != nil else { return }
                connection.write(ok(body) + ok("another's"))
            }
            while let request = connection.readRequest() { connection.write(ok(request.line)) }
        }
        defer { server.stop() }
        let transport = transport {
            $0.connectionsPerOrigin = 1
            $0.caFile = ServerIdentity.shared?.certificate
        }
        #expect(try await transport.send(.get, server.url).text == body)
        #expect(try await transport.send(.post, server.url + "/second").text == "POST /second HTTP/1.1")
        #expect(server.requests.count == 2)
    }

    /// The response comes in the segment that ends the server's part of the handshake, before there is a request.
    @Test(.needsServerIdentity, arguments: [(false, 0), (true, 0), (true, 1), (true, 20)])
    func norANewOneOnWhichTheServerSpeaksFirst(isOfTLS13: Bool, heldBack: Int) async throws {
        let identity = try ServerIdentity(
            greeting: ok("another's"), isOfTLS13: isOfTLS13, heldBack: heldBack)
        let server = FaultServer(identity: identity) { connection in
            while let request = connection.readRequest() { connection.write(ok(request.line)) }
        }
        defer { server.stop() }
        let transport = transport {
            $0.connectionsPerOrigin = 1
            $0.caFile = identity.certificate
        }
        let error = await failure { () throws(NetworkError) in
            try await transport.send(.post, server.url + "/first", body: .text("pay 100"))
        }
        #expect(error?.code == .connectionLost)
        #expect(error?.message.contains("sent a response before the request") == true)
        // A session ticket cannot be told from a response before it is read, so that the request goes out.
        #expect(error?.mayHaveBeenSent == isOfTLS13)
        for path in ["/second", "/third"] {
            let response = try await transport.send(.post, server.url + path, body: .text("pay 100"))
            #expect(response.text == "POST \(path) HTTP/1.1")
        }
        #expect(server.connectionCount == 2)
    }

    /// Nothing tells one connection by a socket of Unix from another.
    @Test func norOneByASocketOfUnix() async throws {
        let path = "/tmp/gateway-\(UUID().uuidString.prefix(8)).sock"
        defer { unlink(path) }
        let (mayTalk, hasTalked) = (ThreadGate(), Gate())
        let server = FaultServer(path: path) { connection in
            while let request = connection.readRequest() {
                connection.write(ok(request.line))
                guard request.line.contains("/first") else { continue }
                mayTalk.wait()
                connection.write(ok("another's"))
                hasTalked.open()
            }
        }
        defer { server.stop() }
        let transport = transport { $0.unixSocketPath = path }
        _ = try await transport.send(.get, "http://service.test/first")
        mayTalk.open()
        await hasTalked.pass()
        let second = try await transport.send(.post, "http://service.test/second", body: .text("pay 100"))
        #expect(second.text == "POST /second HTTP/1.1")
        #expect(try await transport.send(.get, "http://service.test/third").text == "GET /third HTTP/1.1")
        #expect(server.connectionCount == 2)
    }

    @Test func aGoodConnectionIsUsedAgain() async throws {
        let server = FaultServer { ok($0.line) }
        defer { server.stop() }
        let transport = transport()
        for _ in 0..<20 { _ = try await transport.send(.get, server.url) }
        #expect(server.connectionCount == 1)
    }

    private struct Round {
        var count = 0
        var arrivals = 0
        var talksLeft = 0
        let areAllThere = ThreadGate()
        let mayTalk = ThreadGate()
        let haveTalked = Gate()

        init(_ paths: [String] = []) {
            count = paths.count
            talksLeft = paths.count { $0.hasPrefix("/talk") }
            if talksLeft == 0 { haveTalked.open() }
        }

        mutating func noteTalk() {
            talksLeft -= 1
            if talksLeft == 0 { haveTalked.open() }
        }
    }

    /// How requests reach the server.
    enum Way: CaseIterable { case plain, secure, byProxy }

    /// Many connections, some of which have something to read: each request gets its own response and is sent once.
    @Test(.needsServerIdentity, arguments: Way.allCases)
    func roundsOfUnsolicitedBytes(way: Way) async throws {
        let isSecure = way == .secure
        var random = SeededGenerator(seed: TestSeed.value(36))
        let turn = Locked(Round())
        let server = FaultServer(identity: isSecure ? ServerIdentity.shared : nil) { connection in
            while let request = connection.readRequest() {
                // Each request of a round has a connection of its own.
                let round = turn.withLock { round in
                    round.arrivals += 1
                    if round.arrivals == round.count { round.areAllThere.open() }
                    return round
                }
                round.areAllThere.wait()
                connection.write(ok(request.line))
                guard request.line.contains("/talk") else { continue }
                round.mayTalk.wait()
                connection.write(ok("another's"))
                connection.waitForAcknowledgement()
                turn.withLock { $0.noteTalk() }
            }
        }
        defer { server.stop() }
        let transport = transport {
            $0.connectionsPerOrigin = 8
            $0.caFile = isSecure ? ServerIdentity.shared?.certificate : nil
            if way == .byProxy { $0.proxy = .init(host: "127.0.0.1", port: server.port) }
        }
        let origin = way == .byProxy ? "http://service.test" : server.url
        // A proxy is given the whole URL.
        let form = way == .byProxy ? origin : ""
        var sent = 0
        for number in 0..<SoakScale.rounds(50) {
            let paths = (0..<Int.random(in: 1...8, using: &random)).map {
                "/\(Bool.random(using: &random) ? "talk" : "quiet")/\(number)/\($0)"
            }
            let round = Round(paths)
            turn.withLock { $0 = round }
            let method: HTTPMethod = Bool.random(using: &random) ? .post : .get
            let texts = try await withThrowingTaskGroup(of: (String, String).self) { group in
                for path in paths {
                    group.addTask {
                        (path, try await transport.send(method, origin + path).text)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for (path, text) in texts { #expect(text == "\(method) \(form)\(path) HTTP/1.1") }
            sent += paths.count
            round.mayTalk.open()
            await round.haveTalked.pass()
        }
        let lines = server.requests.map(\.line)
        #expect(lines.count == sent && Set(lines).count == sent)
    }

    /// No client gets a token that an endpoint sends unasked.
    @Test func roundsAtATokenEndpoint() async throws {
        let turns = Locked<(mayTalk: ThreadGate, hasTalked: Gate)>((ThreadGate(), Gate()))
        let server = FaultServer { connection in
            while let request = connection.readRequest() {
                let (mayTalk, hasTalked) = turns.withLock { $0 }
                let scope = request.text.components(separatedBy: "scope=").last?.prefix { $0 != "&" } ?? ""
                connection.write(ok(#"{"access_token":"\#(scope)","token_type":"Bearer"}"#))
                mayTalk.wait()
                connection.write(ok(#"{"access_token":"another-ones","token_type":"Bearer"}"#))
                connection.waitForAcknowledgement()
                hasTalked.open()
            }
        }
        defer { server.stop() }
        let endpoint = try TokenEndpoint(
            server.url + "/token", client: .post(clientID: "client", secret: Secret("secret")),
            transport: transport())
        let acquirer = ClientCredentials(endpoint: endpoint)
        for round in 0..<SoakScale.rounds(50) {
            let (mayTalk, hasTalked) = (ThreadGate(), Gate())
            turns.withLock { $0 = (mayTalk, hasTalked) }
            let grant = try await acquirer.acquire(
                TokenRequest(
                    key: TokenKey(scopes: ["s\(round)"]), previous: nil, previousWasRejected: false,
                    deadline: .after(.seconds(30))))
            #expect(grant.accessToken.exposed == "s\(round)")
            mayTalk.open()
            await hasTalked.pass()
        }
        #expect(server.requests.count == SoakScale.rounds(50))
    }
}
