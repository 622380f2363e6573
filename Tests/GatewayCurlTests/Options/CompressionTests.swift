import Foundation
import GatewayCore
import GatewayCurl
import TestTiers
import Testing

@Suite(.tags(.concurrent)) struct CompressionTests {
    private static let gzip = "/usr/bin/gzip"

    /// Zeros, compressed to about a thousandth.
    private static func bomb(bytes: Int) throws -> [UInt8] {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: path) }
        try ChildProcess([
            "/bin/sh", "-c", "head -c \(bytes) /dev/zero | \(gzip) -9 > \(path.path)",
        ]).wait()
        return [UInt8](try Data(contentsOf: path))
    }

    private func server(_ content: [UInt8], encoding: String) -> FaultServer {
        FaultServer { connection in
            while connection.readRequest() != nil {
                connection.write(
                    Array(
                        "HTTP/1.1 200 OK\r\nContent-Encoding: \(encoding)\r\nContent-Length: \(content.count)\r\n\r\n"
                            .utf8) + content)
            }
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: gzip), "gzip is not installed"))
    func theLimitCountsDecompressedBytes() async throws {
        let size = 64 << 20
        let content = try Self.bomb(bytes: size)
        #expect(content.count < 100_000)
        let server = server(content, encoding: "gzip")
        defer { server.stop() }
        let transport = transport { $0.acceptsCompression = true }
        let error = await failure { () throws(NetworkError) in
            try await transport.send(.get, server.url, limit: 1 << 20)
        }
        #expect(error?.code == .responseTooLarge)
        #expect(server.requests.first?.value("accept-encoding")?.contains("gzip") == true)

        let stream = try await transport.stream(.get, server.url)
        #expect(stream.fields[.contentLength] == nil && stream.fields["Content-Encoding"] == nil)
        var (count, largest) = (0, 0)
        for try await chunk in stream.body {
            count += chunk.count
            largest = max(largest, chunk.count)
        }
        #expect(count == size && largest <= 256 << 10)

        let limited = try await transport.stream(.get, server.url).body
        let limitError = await failure { () throws(NetworkError) in
            try await limited.collect(upToBytes: 1 << 20)
        }
        #expect(limitError?.code == .responseTooLarge)
    }

    @Test func brokenCompressionIsAnError() async throws {
        let server = server(Array("this is no gzip".utf8), encoding: "gzip")
        defer { server.stop() }
        let transport = transport { $0.acceptsCompression = true }
        let error = await failure { () throws(NetworkError) in try await transport.send(.get, server.url) }
        #expect(error?.code == .malformedResponse)
    }

    @Test func unaskedItIsLeftAsItIs() async throws {
        let server = server([1, 2, 3], encoding: "gzip")
        defer { server.stop() }
        let response = try await CurlTransport().send(.get, server.url)
        #expect(response.body.bytes == [1, 2, 3] && response.fields["Content-Encoding"] == "gzip")
        #expect(server.requests.first?.value("accept-encoding") == nil)
    }
}
