import Foundation
import GatewayCore
import GatewayCurl
import GatewayTesting
import Testing

@testable import GatewayAuth

/// A gateway where people sign in by a browser, and a browser.
struct BrowserRig {
    let gateway: EmbeddedGateway
    let metadata: AuthorizationServerMetadata
    let endpoint: TokenEndpoint
    let flow: AuthorizationCode

    /// - Parameters:
    ///   - registered: the redirect URI that the server knows.
    ///   - options: what the sign-in is told.
    ///   - transport: makes the exchanges with the token endpoint.
    init(
        registered: String = "http://127.0.0.1/callback",
        options: AuthorizationCode.Options = AuthorizationCode.Options(),
        transport: any Transport = CurlTransport()
    ) async throws {
        var configuration = EmbeddedGateway.Configuration()
        configuration.clients[0].isPublic = true
        configuration.clients[0].redirectURIs = [registered]
        configuration.clients[0].scopes.append("openid")
        gateway = try EmbeddedGateway.start(configuration)
        metadata = try await AuthorizationServerDiscovery(
            issuer: gateway.tokenOrigin.description, transport: CurlTransport()
        ).metadata()
        endpoint = try TokenEndpoint(
            metadata, client: .publicClient(clientID: gateway.client.id), transport: transport)
        flow = try AuthorizationCode(endpoint: endpoint, metadata: metadata, options: options)
    }

    /// What a browser does: it opens the page, and follows the redirect.
    @discardableResult
    static func browse(
        _ url: String, changing change: (String) -> String = { $0 }
    ) async throws -> Int {
        let browser = CurlTransport()
        let redirect = try await browser.send(try HTTPRequest(.get, url), context: RequestContext())
        let place = change(try #require(redirect.fields["Location"], "status \(redirect.status)"))
        return try await browser.send(try HTTPRequest(.get, place), context: RequestContext()).status
    }

    func signIn(
        scopes: [String] = ["books:read"], within limit: Duration = .seconds(60),
        open: @escaping @Sendable (String) async throws -> Void
    ) async -> Result<TokenGrant, NetworkError> {
        await outcome { () throws(NetworkError) in
            try await flow.grant(for: endpoint.key(scopes: scopes), deadline: .after(limit), open: open)
        }
    }

    /// The parameters of an authorization request.
    static func parameters(_ url: String) -> [(name: String, value: String)] {
        URLEncodedForm.decode(url.split(separator: "?")[1].utf8)
    }

    /// The redirect URI of an authorization request.
    static func redirectURI(_ url: String) -> String {
        parameters(url).first { $0.name == "redirect_uri" }?.value ?? ""
    }

    /// The port that the browser returns to.
    static func port(_ url: String) throws -> UInt16 { try ParsedURL(redirectURI(url)).origin.port }

    /// The addresses, in the system's notation, at which this process listens on a port.
    ///
    /// The system's tables are read in pieces, and miss a socket if others before it are closed meanwhile: they are read
    /// until those that are expected were seen, a hundred times at most.
    static func listeners(_ port: UInt16, expected: Set<String>) -> Set<String> {
        var addresses = listeners(port)
        for _ in 0..<100 where !addresses.isSuperset(of: expected) { addresses.formUnion(listeners(port)) }
        return addresses
    }

    /// Reads a table of the system. One read gives a page at most, and between two reads lines can be lost.
    private static func text(of table: String) -> String {
        let descriptor = open(table, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var (text, buffer): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 1 << 16))
        while case let count = read(descriptor, &buffer, buffer.count), count > 0 { text += buffer[..<count] }
        return String(decoding: text, as: UTF8.self)
    }

    /// The inodes of this process's sockets.
    private static func ownSockets() -> Set<Substring> {
        let files = FileManager.default
        let descriptors = (try? files.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return Set(
            descriptors.compactMap { descriptor in
                guard
                    let target = try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)"),
                    target.hasPrefix("socket:[")
                else { return nil }
                return target.dropFirst("socket:[".count).dropLast()
            })
    }

    static func listeners(_ port: UInt16) -> Set<String> {
        let own = ownSockets()
        let end = ":" + String(String(port, radix: 16, uppercase: true).suffix(4)).leftPadded(4)
        var addresses: Set<String> = []
        for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
            for line in text(of: table).split(separator: "\n").dropFirst() {
                let words = line.split(separator: " ")
                // State 0A: listening. The tenth is the inode: other processes may use the port at another address.
                guard words.count > 9, words[3] == "0A", words[1].hasSuffix(end), own.contains(words[9])
                else { continue }
                addresses.insert(String(words[1].dropLast(end.utf8.count)))
            }
        }
        return addresses
    }
}

extension String {
    fileprivate func leftPadded(_ width: Int) -> String {
        String(repeating: "0", count: max(0, width - utf8.count)) + self
    }
}
