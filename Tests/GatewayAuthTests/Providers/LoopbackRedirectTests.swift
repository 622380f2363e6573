import GatewayCore
import GatewayCurl
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayAuth

/// Redirect URIs on this machine with a port, path and host of one's choice (RFC 8252 §7.3).
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct LoopbackRedirectTests {
    private static let ipv4 = "0100007F"
    private static let ipv6 = "00000000000000000000000001000000"

    /// A port that is free now.
    private func freePort() throws -> UInt16 { try LoopbackSocket(.ipv4, port: 0).port }

    @Test(arguments: [
        ("http://127.0.0.1/callback", 0, "/callback"), ("http://127.0.0.1:0/a/b", 0, "/a/b"),
        ("http://127.0.0.1:8400/callback", 8400, "/callback"), ("http://[::1]:65535/", 65535, "/"),
        ("http://localhost:8400", 8400, ""), ("http://localhost", 0, ""),
    ])
    func aURIIsRead(uri: String, port: Int, path: String) throws {
        let redirect = try LoopbackRedirect(uri)
        #expect(Int(redirect.port) == port && redirect.path == path)
        if port != 0 { #expect(redirect.uri(port: redirect.port) == uri) }
    }

    @Test(arguments: [
        "", "127.0.0.1/callback", "https://127.0.0.1/callback", "http://127.0.0.2/callback", "http://[::2]/",
        "http://localhost.example.com/", "http://0.0.0.0/", "http://127.0.0.1:/", "http://127.0.0.1:65536/",
        "http://127.0.0.1:+1/", "http://127.0.0.1:80a/", "http://127.0.0.1/?a=b", "http://127.0.0.1/#a",
        "http://127.0.0.1/a b", "http://127.0.0.1/\r\nX: y", "http://user@127.0.0.1/", "http://localhost?a",
        "http://127.0.0.1.example.com/",
    ])
    func anyOtherURIIsRefused(uri: String) {
        let error = #expect(throws: NetworkError.self) { try LoopbackRedirect(uri) }
        #expect(error?.code == .invalidURL)
    }

    /// Twice, since connections of the first sign-in still occupy the port for a while.
    @Test(arguments: ["http://127.0.0.1:PORT/oauth2/cb", "http://[::1]:PORT/cb", "http://localhost:PORT"])
    func theServerGetsExactlyTheRegisteredURI(uri: String) async throws {
        let uri = uri.replacing("PORT", with: "\(try freePort())")
        let rig = try await BrowserRig(
            registered: uri, options: AuthorizationCode.Options(redirect: try LoopbackRedirect(uri)))
        defer { rig.gateway.shutdown() }
        for _ in 0..<2 {
            _ = try await rig.signIn { url in
                #expect(BrowserRig.redirectURI(url) == uri)
                let status = try await BrowserRig.browse(url)
                #expect(status == 200)
            }.get()
        }
    }

    @Test(arguments: [
        ("127.0.0.1", [ipv4]), ("[::1]", [ipv6]), ("localhost", [ipv4, ipv6]),
    ])
    func onlyLoopbackAddressesAreListenedOn(host: String, addresses: [String]) async throws {
        let rig = try await BrowserRig(
            registered: "http://\(host)/cb",
            options: AuthorizationCode.Options(redirect: try LoopbackRedirect("http://\(host)/cb")))
        defer { rig.gateway.shutdown() }
        _ = try await rig.signIn { url in
            let port = try BrowserRig.port(url)
            #expect(BrowserRig.listeners(port, expected: Set(addresses)) == Set(addresses))
            try await BrowserRig.browse(url)
        }.get()
    }

    /// A resolver may give a browser either address of the name.
    @Test(arguments: ["127.0.0.1", "[::1]"])
    func aBrowserReachesLocalhostAtEitherAddress(address: String) async throws {
        let rig = try await BrowserRig(
            registered: "http://localhost/cb",
            options: AuthorizationCode.Options(redirect: try LoopbackRedirect("http://localhost/cb")))
        defer { rig.gateway.shutdown() }
        _ = try await rig.signIn { url in
            let status = try await BrowserRig.browse(url) {
                $0.replacing("//localhost:", with: "//\(address):")
            }
            #expect(status == 200)
        }.get()
    }

    @Test(arguments: [LoopbackSocket.Address.ipv4, .ipv6], ["127.0.0.1", "[::1]", "localhost"])
    func aPortInUseIsNamed(address: LoopbackSocket.Address, host: String) async throws {
        let isHit = host == "localhost" || (host == "[::1]") == (address == .ipv6)
        let other = try Self.socket(at: address)
        let uri = "http://\(host):\(other.port)/cb"
        let rig = try await BrowserRig(
            registered: uri, options: AuthorizationCode.Options(redirect: try LoopbackRedirect(uri)))
        defer { rig.gateway.shutdown() }
        let opened = Locked(false)
        let result = await rig.signIn { url in
            opened.withLock { $0 = true }
            try await BrowserRig.browse(url)
        }
        let isOpened = opened.withLock { $0 }
        #expect(isOpened == !isHit)
        guard isHit else { return }
        #expect(result.code == .redirectUnavailable)
        let message = #expect(throws: NetworkError.self) { try result.get() }?.message ?? ""
        #expect(message.contains("Port \(other.port) of \(host) is already in use"))
    }

    /// A socket whose port nobody uses at the other address.
    private static func socket(at address: LoopbackSocket.Address) throws -> LoopbackSocket {
        while true {
            let socket = try LoopbackSocket(address, port: 0)
            if (try? LoopbackSocket(address == .ipv4 ? .ipv6 : .ipv4, port: socket.port)) != nil {
                return socket
            }
        }
    }

    // MARK: Parameters

    @Test func additionalParametersGoToTheServer() async throws {
        let parameters = [
            "prompt": "login consent", "login_hint": "ada+1@example.com", "acr_values": "a b",
            "max_age": "60",
            "ui_locales": "de en", "vendor-specific": "ä&=#",
        ]
        let rig = try await BrowserRig(options: AuthorizationCode.Options(parameters: parameters))
        defer { rig.gateway.shutdown() }
        let sent = Locked<[String: [String]]>([:])
        _ = try await rig.signIn { url in
            sent.withLock { sent in
                for (name, value) in BrowserRig.parameters(url) { sent[name, default: []].append(value) }
            }
            try await BrowserRig.browse(url)
        }.get()
        let found = sent.withLock { $0 }
        for (name, value) in parameters { #expect(found[name] == [value]) }
        #expect(found.values.allSatisfy { $0.count == 1 })
    }

    @Test(arguments: [
        "state", "redirect_uri", "code_challenge", "code_challenge_method", "client_id", "response_type",
        "response_mode", "scope", "resource", "audience", "dpop_jkt", "request", "request_uri",
        "client_secret",
        "code_verifier",
    ])
    func theSignInsOwnParametersAreRefused(name: String) async throws {
        let rig = try await BrowserRig()
        defer { rig.gateway.shutdown() }
        for (url, parameters) in [
            ("https://login.example.com/authorize", [name: "x"]),
            ("https://login.example.com/authorize?a=b&\(name)=x", [:]),
        ] {
            let error = #expect(throws: NetworkError.self) {
                try AuthorizationCode(
                    endpoint: rig.endpoint, authorizationURL: url, issuer: nil,
                    options: AuthorizationCode.Options(parameters: parameters))
            }
            #expect(error?.code == .credentialMisconfigured && error?.message.contains(name) == true)
        }
    }

    @Test(arguments: [
        ("", ["": "x"]), ("", ["max_age": "soon"]), ("", ["max_age": "-1"]), ("?p=policy", ["p": "other"]),
    ])
    func parametersThatAreWrongAreRefused(query: String, parameters: [String: String]) async throws {
        let rig = try await BrowserRig()
        defer { rig.gateway.shutdown() }
        let error = #expect(throws: NetworkError.self) {
            try AuthorizationCode(
                endpoint: rig.endpoint, authorizationURL: "https://login.example.com/authorize" + query,
                issuer: nil, options: AuthorizationCode.Options(parameters: parameters))
        }
        #expect(error?.code == .credentialMisconfigured)
    }

    @Test func theQueryOfTheAuthorizationURLIsKept() async throws {
        let rig = try await BrowserRig()
        defer { rig.gateway.shutdown() }
        let flow = try AuthorizationCode(
            endpoint: rig.endpoint, authorizationURL: "\(rig.gateway.tokenOrigin)/oauth/authorize?p=policy",
            issuer: "\(rig.gateway.tokenOrigin)")
        let urls = Locked<[String]>([])
        _ = try await flow.grant(for: rig.endpoint.key(), deadline: .after(.seconds(20))) { url in
            urls.withLock { $0.append(url) }
            try await BrowserRig.browse(url)
        }
        let url = urls.withLock { $0.first } ?? ""
        #expect(url.contains("/oauth/authorize?p=policy&response_type=code&"))
    }
}
