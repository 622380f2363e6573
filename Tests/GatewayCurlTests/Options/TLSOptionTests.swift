import CLibcurl
import Foundation
import GatewayCore
import GatewayCurl
import TestTiers
import Testing

@Suite(.tags(.concurrent), .enabled(if: TLSServer.openssl != nil, "openssl is not installed"))
struct TLSOptionTests {
    /// The system's folder of certificates is not asked: libcurl would read it anew for every connection, on the
    /// loop's thread. Seen with another folder in its place, which holds the server's certificate.
    @Test(.enabled(if: MountNamespace.isPossible, "a folder of our own in the system's place takes root"))
    func theFolderOfCertificatesIsNotAsked() async throws {
        guard let named = gateway_version_info().pointee.capath else { return }
        let system = String(cString: named)
        let server = try TLSServer()
        defer { server.stop() }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.copyItem(atPath: server.certificate, toPath: folder + "/server.pem")
        try ChildProcess([TLSServer.openssl ?? "", "rehash", folder]).wait()
        // Of another name: of two certificates with one name OpenSSL would only look at the first.
        let strangers = server.certificate + ".stranger"
        try ChildProcess([
            TLSServer.openssl ?? "", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=stranger",
            "-keyout", "/dev/null", "-out", strangers,
        ]).wait()

        // The thread does see the folder.
        let asked = try #require(
            MountNamespace.transport(showing: folder, at: system) { $0.caFile = system + "/server.pem" })
        #expect(try await server.sendWhenListening(asked).get().status == 200)
        let transport = try #require(
            MountNamespace.transport(showing: folder, at: system) { $0.caFile = strangers })
        let error = await failure { () throws(NetworkError) in try await transport.send(.get, server.url) }
        #expect(error?.code == .tlsFailure)
    }

    /// A session is resumed by whichever handle connects next: the first one is busy with a stream that nobody reads
    /// yet, and holds its connection.
    @Test(.needsNginx) func sessionsAreShared() async throws {
        let transport = trusting()
        let nginx = Counterparts.nginxTLS ?? ""
        #expect(try await transport.send(.get, nginx + "/ok").fields["X-Session"] == ".")
        let stream = try await transport.stream(.get, nginx + "/files/large.bin")
        let other = try await transport.send(.get, nginx + "/ok")
        #expect(other.fields["X-Session"] == "r")
        #expect(other.fields["X-Connection"] != stream.fields["X-Connection"])
    }

    @Test func aKeyWithAPassword() async throws {
        let server = try TLSServer(["-Verify", "1", "-CAfile", "CERT", "-verify_return_error"])
        defer { server.stop() }
        let encrypted = server.key + ".encrypted"
        try ChildProcess([
            TLSServer.openssl ?? "", "ec", "-aes256", "-passout", "pass:s3cret", "-in", server.key, "-out",
            encrypted,
        ]).wait()
        func transport(_ password: Secret?) -> CurlTransport {
            GatewayCurlTests.transport {
                $0.caFile = server.certificate
                $0.clientCertificate = .init(
                    certificateFile: server.certificate, keyFile: encrypted, keyPassword: password)
            }
        }
        #expect(try await server.sendWhenListening(transport(Secret("s3cret"))).get().status == 200)
        let wrong = transport(Secret("wrong"))
        let error = await failure { () throws(NetworkError) in try await wrong.send(.get, server.url) }
        #expect(error?.code == .tlsFailure && error?.mayHaveBeenSent == false)
    }

    /// What the proxy says of the tunnel is no part of the response, and what the request says is not the proxy's.
    @Test func aTunnelLeavesNoTrace() async throws {
        let server = try TLSServer()
        defer { server.stop() }
        let port = server.port
        let proxy = FaultServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 Connection Established\r\nX-Proxy: yes\r\n\r\n")
            connection.relay(to: port)
        }
        defer { proxy.stop() }
        let direct = transport { $0.caFile = server.certificate }
        _ = await server.sendWhenListening(direct)
        let transport = transport {
            $0.caFile = server.certificate
            $0.proxy = .init(host: "127.0.0.1", port: proxy.port, username: "me", password: Secret("s3cret"))
        }
        let response = try await transport.send(
            .get, "https://service.test:\(port)",
            fields: ["X-Secret": "hunter2", .authorization: "Bearer hunter2"])
        #expect(response.status == 200 && response.fields["X-Proxy"] == nil)
        #expect(response.fields[.contentType] != nil && response.text.contains("TLSv1.3"))
        let request = try #require(proxy.requests.first)
        #expect(request.line == "CONNECT service.test:\(server.port) HTTP/1.1")
        #expect(!request.fields.contains { $0.contains("hunter2") })
        #expect(request.value("proxy-authorization") != nil)
    }
}

extension FaultConnection {
    /// Passes bytes on in both directions until one side has no more.
    fileprivate func relay(to port: UInt16) {
        let other = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { Foundation.close(other) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(other, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { return }
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            var sides = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: other, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&sides, 2, -1) > 0 else { return }
            for (from, to) in [(0, other), (1, descriptor)] where sides[from].revents != 0 {
                let count = recv(sides[from].fd, &piece, piece.count, 0)
                guard count > 0, send(to, piece, count, Int32(MSG_NOSIGNAL)) == count else { return }
            }
        }
    }
}
