import Foundation
import GatewayCore
import GatewayCurl
import Testing

@Suite struct DownloadFileTests {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

    @Test func aFileIsReplacedOnlyByACompleteOne() async throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appendingPathComponent("file").path
        let content = pattern(0..<300_000)
        let server = FaultServer { connection in
            guard let request = connection.readRequest() else { return }
            let length = request.line.contains("torn") ? content.count + 1 : content.count
            connection.write(Array("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n".utf8) + content)
        }
        defer { server.stop() }
        let transport = CurlTransport()
        let count = try await transport.stream(.get, server.url).body.write(
            toFile: path, upToBytes: 300_000)
        #expect(count == 300_000)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(content))

        try Data("old".utf8).write(to: URL(fileURLWithPath: path))
        let torn = try await transport.stream(.get, server.url + "/torn").body
        let tornError = await failure { () throws(NetworkError) in
            try await torn.write(toFile: path, upToBytes: .max)
        }
        #expect(tornError?.code == .truncated)
        let large = try await transport.stream(.get, server.url).body
        let largeError = await failure { () throws(NetworkError) in
            try await large.write(toFile: path, upToBytes: 299_999)
        }
        #expect(largeError?.code == .responseTooLarge)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("old".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["file"])

        let nowhere = await failure { () throws(NetworkError) in
            try await ResponseBody.bytes([1]).write(toFile: "/nonexistent/file", upToBytes: 9)
        }
        #expect(nowhere?.code == .other)
    }
}
