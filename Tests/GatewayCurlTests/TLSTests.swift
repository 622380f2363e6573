import Foundation
import GatewayCore
import GatewayCurl
import Testing

@Suite(.enabled(if: TLSServer.openssl != nil, "openssl is not installed"))
struct TLSTests {
    @Test func certificatesAreChecked() async throws {
        let server = try TLSServer()
        defer { server.stop() }
        guard case .failure(let error) = await server.sendWhenListening(CurlTransport()) else {
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
        guard case .failure(let error) = await server.sendWhenListening(transport) else {
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

    @Test func theMinimumVersionHolds() async throws {
        let server = try TLSServer(["-tls1_2"])
        defer { server.stop() }
        let lenient = transport { $0.caFile = server.certificate }
        guard case .success = await server.sendWhenListening(lenient) else {
            Issue.record("TLS 1.2 is enough by default")
            return
        }
        let strict = transport {
            $0.caFile = server.certificate
            $0.minimumTLSVersion = .tls13
        }
        let error = await failure { () throws(NetworkError) in try await strict.send(.get, server.url) }
        #expect(error?.code == .tlsFailure && error?.mayHaveBeenSent == false)
    }

    @Test func keysArePinned() async throws {
        let server = try TLSServer()
        defer { server.stop() }
        let other = Data(repeating: 7, count: 32).base64EncodedString()
        let pinned = transport {
            $0.caFile = server.certificate
            $0.pinnedKeys = [other, server.pin]
        }
        guard case .success = await server.sendWhenListening(pinned) else {
            Issue.record("the key is among the pinned ones")
            return
        }
        for pins in [[other], ["no base64"]] {
            let misled = transport {
                $0.caFile = server.certificate
                $0.pinnedKeys = pins
            }
            let error = await failure { () throws(NetworkError) in try await misled.send(.get, server.url) }
            #expect(error?.code == .pinningFailure && error?.phase == .tls && error?.mayHaveBeenSent == false)
        }
        // A pin does not make up for trust.
        let untrusting = transport { $0.pinnedKeys = [server.pin] }
        let error = await failure { () throws(NetworkError) in try await untrusting.send(.get, server.url) }
        #expect(error?.code == .tlsFailure)
    }

    @Test func theClientShowsItsCertificate() async throws {
        let server = try TLSServer(["-Verify", "1", "-CAfile", "CERT", "-verify_return_error"])
        defer { server.stop() }
        let known = transport {
            $0.caFile = server.certificate
            $0.clientCertificate = .init(certificateFile: server.certificate, keyFile: server.key)
        }
        guard case .success(let response) = await server.sendWhenListening(known) else {
            Issue.record("the certificate is the one the server wants")
            return
        }
        #expect(response.status == 200)
        let unknown = transport { $0.caFile = server.certificate }
        #expect(await failure { () throws(NetworkError) in try await unknown.send(.get, server.url) } != nil)
        let keyless = transport {
            $0.caFile = server.certificate
            $0.clientCertificate = .init(certificateFile: server.certificate, keyFile: "/nonexistent.pem")
        }
        let error = await failure { () throws(NetworkError) in try await keyless.send(.get, server.url) }
        #expect(error?.code == .tlsFailure && error?.mayHaveBeenSent == false)
    }
}
