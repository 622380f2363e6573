import Foundation
import GatewayCore
import GatewayCurl
import TestTiers
import Testing

/// Certificates that are replaced while the transport is in use.
@Suite(.tags(.concurrent), .timeLimit(.minutes(1)), .needsServerIdentity) struct TrustChangeTests {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

    private func copy(_ identity: ServerIdentity?, to name: String) throws -> String {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let file = directory.appendingPathComponent(name)
        let identity = try #require(identity)
        try Data(contentsOf: URL(fileURLWithPath: identity.certificate)).write(to: file, options: .atomic)
        return file.path
    }

    /// An authority that is added is trusted, and one that is removed is not, also by a connection or a session of before.
    @Test(arguments: [false, true]) func authoritiesFollowTheirFile(keepsAlive: Bool) async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = try copy(.http2, to: "ca.pem")
        let server = FaultServer(identity: ServerIdentity.shared) { connection in
            repeat {
                guard connection.readRequest() != nil else { return }
                connection.write(ok(fields: keepsAlive ? "" : "Connection: close\r\n"))
            } while keepsAlive
        }
        defer { server.stop() }
        let transport = transport { $0.caFile = path }
        func code() async -> NetworkError.Code? {
            await failure { () throws(NetworkError) in try await transport.send(.get, server.url) }?.code
        }
        #expect(await code() == .tlsFailure)
        for _ in 0..<2 {
            _ = try copy(.shared, to: "ca.pem")
            transport.dropIdleConnections()
            for _ in 0..<2 { #expect(await code() == nil) }
            _ = try copy(.http2, to: "ca.pem")
            transport.dropIdleConnections()
            #expect(await code() == .tlsFailure)
        }
    }

    /// A session of TLS would be resumed with the certificate that it was made with.
    @Test func aClientCertificateFollowsItsFile() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let certificate = try copy(.shared, to: "client.pem")
        let resumed = Locked<[Bool]>([])
        let server = FaultServer(identity: ServerIdentity.shared) { connection in
            guard connection.readRequest() != nil else { return }
            resumed.withLock { $0.append(connection.isResumed) }
            connection.write(ok(fields: "Connection: close\r\n"))
        }
        defer { server.stop() }
        let transport = transport {
            $0.caFile = ServerIdentity.shared?.certificate
            $0.clientCertificate = .init(
                certificateFile: certificate, keyFile: ServerIdentity.shared?.key ?? "")
        }
        for _ in 0..<2 { _ = try await transport.send(.get, server.url) }
        _ = try copy(.shared, to: "client.pem")
        transport.dropIdleConnections()
        for _ in 0..<2 { _ = try await transport.send(.get, server.url) }
        #expect(resumed.withLock { $0 } == [false, true, false, true])
    }
}
