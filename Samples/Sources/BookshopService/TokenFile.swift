import GatewayClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A token that somebody else keeps fresh in a file: a sidecar, an agent, a projected volume.
///
/// The coordinator asks for the current token first. When the gateway rejects it, the file is read again; a file that
/// still holds the rejected token means that whoever writes it is late, which passes.
actor TokenFile: TokenProvider {
    private let path: String
    private var last: String?

    init(path: String) { self.path = path }

    func currentToken() async throws -> String? {
        let token = try read()
        last = token
        return token
    }

    func refreshToken() async throws -> String {
        let token = try read()
        guard token != last else {
            throw NetworkError(
                .tokenUnavailable, "\(path) still holds the token that was rejected.", retryAfter: .seconds(5)
            )
        }
        last = token
        return token
    }

    private func read() throws -> String {
        let text: String
        do {
            text = try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw NetworkError(.tokenUnavailable, "\(path) cannot be read.", underlying: error)
        }
        let token = text.split(whereSeparator: \.isWhitespace).joined()
        guard !token.isEmpty else { throw NetworkError(.tokenUnavailable, "\(path) is empty.") }
        return token
    }
}
