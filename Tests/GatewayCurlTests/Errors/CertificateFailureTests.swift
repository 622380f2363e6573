import GatewayCore
import GatewayCurl
import Testing

/// What the errors of real handshakes say.
@Suite(.enabled(if: TLSServer.openssl != nil, "openssl is not installed"))
struct CertificateFailureTests {
    enum Fault: CaseIterable, CustomTestStringConvertible {
        case expired, wrongHost, selfSigned, unknownAuthority

        var issued: TLSServer.Issued? {
            switch self {
            case .expired: .init(days: -1)
            case .wrongHost: .init(names: "DNS:a.example,DNS:*.b.example,IP:127.0.0.2")
            case .selfSigned: nil
            case .unknownAuthority: .init()
            }
        }
        var trustsAuthority: Bool { self == .expired || self == .wrongHost }
        var reason: String {
            switch self {
            case .expired: "certificate has expired. Renew it on the server"
            case .wrongHost: "hostname mismatch: certificate is for a.example, *.b.example, 127.0.0.2."
            case .selfSigned:
                "self-signed certificate. If the server is right, add its CA certificate to caFile."
            case .unknownAuthority: "unknown CA. If the server is right, add its CA certificate to caFile."
            }
        }
        var testDescription: String { "\(self.reason.prefix(20))" }
    }

    @Test(arguments: Fault.allCases)
    func theReasonIsNamed(fault: Fault) async throws {
        let server = try TLSServer(certificate: fault.issued)
        defer { server.stop() }
        let transport = transport { if fault.trustsAuthority { $0.caFile = server.authority } }
        guard case .failure(let first) = await server.sendWhenListening(transport) else {
            Issue.record("the certificate was accepted")
            return
        }
        // The same handle makes the second handshake, and must not have anything left of the first.
        let second = try #require(
            await failure { () throws(NetworkError) in try await transport.send(.get, server.url) })
        for error in [first, second] {
            #expect(error.code == .tlsFailure && error.phase == .tls)
            #expect(!error.mayHaveBeenSent && error.attempts == 1)
            #expect(
                error.message.hasPrefix(
                    "The certificate of 127.0.0.1:\(server.port) is not trusted: \(fault.reason)"), "\(error)"
            )
            #expect(error.description.hasPrefix("tls_failure (tls) after 1 attempt: The certificate of 127"))
        }
    }

    /// The handle that read the names of a certificate sends the next request as any other.
    @Test func aMismatchLeavesNoTrace() async throws {
        let server = try TLSServer()
        defer { server.stop() }
        let transport = transport {
            $0.caFile = server.authority
            $0.connectionsInAll = 1
        }
        #expect(try await server.sendWhenListening(transport).get().status == 200)
        for _ in 0..<3 {
            let error = await failure { () throws(NetworkError) in
                try await transport.send(.post, "https://localhost:\(server.port)", body: .text("x"))
            }
            #expect(error?.message.contains("certificate is for 127.0.0.1, service.test.") == true)
            #expect(error?.mayHaveBeenSent == false && error?.attempts == 1)
            let refused = await failure { () throws(NetworkError) in
                try await transport.send(.get, "https://127.0.0.1:\(FaultServer.unusedPort())")
            }
            #expect(refused?.code == .connectionRefused, "\(String(describing: refused))")
            #expect(try await transport.send(.get, server.url).status == 200)
        }
    }

    @Test func aServerWithoutTLSIsNamed() async throws {
        let server = FaultServer { connection in
            _ = connection.readBytes(1)
            connection.write("HTTP/1.1 400 Bad Request\r\n\r\n")
        }
        defer { server.stop() }
        let error = await failure { () throws(NetworkError) in
            try await CurlTransport().send(.get, server.url.replacing("http:", with: "https:"))
        }
        #expect(
            error?.message
                == "The TLS handshake with 127.0.0.1:\(server.port) failed: wrong version number: check that the "
                + "port speaks TLS.",
            "\(String(describing: error))")
        #expect(error?.code == .tlsFailure && error?.phase == .tls && error?.mayHaveBeenSent == false)
    }

    @Test func aVersionThatIsTooOldIsNamed() async throws {
        let server = try TLSServer(["-tls1_2"])
        defer { server.stop() }
        let strict = transport {
            $0.caFile = server.authority
            $0.minimumTLSVersion = .tls13
        }
        guard case .failure(let error) = await server.sendWhenListening(strict) else {
            Issue.record("TLS 1.2 was accepted")
            return
        }
        #expect(error.message.hasSuffix("failed: tlsv1 alert protocol version."), "\(error)")
    }

    @Test func aMissingClientCertificateIsNamed() async throws {
        let server = try TLSServer(["-Verify", "1", "-CAfile", "CERT", "-verify_return_error"])
        defer { server.stop() }
        guard
            case .failure(let error) = await server.sendWhenListening(
                transport { $0.caFile = server.authority })
        else {
            Issue.record("no certificate was asked for")
            return
        }
        #expect(error.message.contains("certificate required"), "\(error)")
    }

    /// The paths of the files may be private.
    @Test func filesAreNotNamed() async throws {
        let server = try TLSServer()
        defer { server.stop() }
        for change: (inout CurlConfiguration) -> Void in [
            { $0.caFile = "/private/ca-s3cret.pem" },
            {
                $0.clientCertificate = .init(
                    certificateFile: "/private/s3cret.pem", keyFile: "/private/s3cret.key")
            },
        ] {
            guard case .failure(let error) = await server.sendWhenListening(transport(change)) else {
                Issue.record("it has no effect")
                continue
            }
            #expect(error.phase == .tls && !"\(error)".contains("s3cret") && !"\(error)".contains("private"))
        }
    }
}
