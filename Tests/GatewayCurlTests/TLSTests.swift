import Foundation
import GatewayCore
import GatewayCurl
import GatewayTesting
import Testing

@Suite(.timeLimit(.minutes(2)), .enabled(if: TLSServer.openssl != nil, "openssl is not installed"))
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

    /// Each way in which a server that speaks no TLS reacts to a handshake, but for silence.
    @Test(arguments: [
        "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", "HTTP/1.0 400 Bad Request\r\n\r\n", "400",
        "\n", "",
    ])
    func aServerWithoutTLSIsNoticedAtOnce(answer: String) async throws {
        for closes in [true, false] where closes || answer.utf8.count >= 5 {
            let server = FaultServer { connection in
                _ = connection.readBytes(1)
                connection.write(answer)
                if !closes { connection.waitForClose() }
            }
            defer { server.stop() }
            // No limit of time ends the handshake.
            let transport = transport { $0.clock = ManualClock() }
            let error = await failure { () throws(NetworkError) in
                try await transport.send(.get, server.url.replacing("http:", with: "https:"))
            }
            #expect(
                error?.code == .tlsFailure && error?.mayHaveBeenSent == false, "\(String(describing: error))")
        }
    }

    /// OpenSSL closes the connection; other servers send an alert first.
    @Test func plainHTTPToAServerWithTLSIsNoticedAtOnce() async throws {
        let server = try TLSServer()
        defer { server.stop() }
        guard case .success = await server.sendWhenListening(transport { $0.caFile = server.certificate })
        else {
            Issue.record("the server does not start")
            return
        }
        // No limit of time ends the exchange.
        let patient = transport { $0.clock = ManualClock() }
        let error = await failure { () throws(NetworkError) in
            try await patient.send(.get, server.url.replacing("https:", with: "http:"))
        }
        #expect(error?.code == .connectionLost, "\(String(describing: error))")

        // What a TLS server says to anything that is no handshake, kept open: an alert is shorter than a status line.
        let alerting = FaultServer { connection in
            _ = connection.readRequest()
            connection.write([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x46])
            connection.waitForClose()
        }
        defer { alerting.stop() }
        let alert = await failure { () throws(NetworkError) in try await patient.send(.get, alerting.url) }
        #expect(alert?.code == .malformedResponse, "\(String(describing: alert))")
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
        let misled = transport {
            $0.caFile = server.certificate
            $0.pinnedKeys = [other]
        }
        let pinError = await failure { () throws(NetworkError) in try await misled.send(.get, server.url) }
        #expect(
            pinError?.code == .pinningFailure && pinError?.phase == .tls && pinError?.mayHaveBeenSent == false
        )
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
