import Foundation
import GatewayCore
import GatewayCurl
import Testing

@Suite(.enabled(if: TLSServer.openssl != nil, "openssl is not installed"))
struct TLSTests {
    /// Sends until the server, which takes a moment to start, listens.
    private func sendWhenListening(_ transport: CurlTransport, _ url: String) async -> Result<
        HTTPResponse, NetworkError
    > {
        for _ in 0..<500 {
            do {
                return .success(try await transport.send(.get, url))
            } catch  where error.code == .connectionRefused {
                usleep(10_000)
            } catch {
                return .failure(error)
            }
        }
        return .failure(NetworkError(.other, "the server does not start"))
    }

    @Test func certificatesAreChecked() async throws {
        let server = try TLSServer()
        defer { server.stop() }
        guard case .failure(let error) = await sendWhenListening(CurlTransport(), server.url) else {
            Issue.record("an unknown certificate was accepted")
            return
        }
        #expect(error.code == .tlsFailure && error.phase == .tls && !error.mayHaveBeenSent)

        let trusting = transport { $0.caFile = server.certificate }
        for _ in 0..<3 { #expect(try await trusting.send(.get, server.url).status == 200) }

        // The certificate is for the address, not for this name.
        let named = await failure { () throws(NetworkError) in
            try await trusting.send(.get, "https://localhost:\(server.port)")
        }
        #expect(named?.code == .tlsFailure)
    }

    @Test func aMissingFileOfCertificatesIsAMistakeOfTheConfiguration() async throws {
        let server = try TLSServer()
        defer { server.stop() }
        let transport = transport { $0.caFile = "/nonexistent.pem" }
        guard case .failure(let error) = await sendWhenListening(transport, server.url) else {
            Issue.record("there was nothing to check the certificate with")
            return
        }
        #expect(error.code == .misconfigured && !error.mayHaveBeenSent)
    }

    @Test func plainHTTPWhereTLSIsSpoken() async throws {
        let server = FaultServer { connection in
            _ = connection.readBytes(1)
            connection.write("HTTP/1.1 400 Bad Request\r\n\r\n")
        }
        defer { server.stop() }
        let error = await failure { () throws(NetworkError) in
            try await CurlTransport().send(.get, server.url.replacing("http:", with: "https:"))
        }
        #expect(error?.code == .tlsFailure && error?.phase == .tls && error?.mayHaveBeenSent == false)
    }
}
