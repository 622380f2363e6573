import Foundation
import GatewayCore
import GatewayCurl
import Testing

/// Compressed content that ends early, is damaged, or comes in one of its less usual forms.
@Suite struct TornCompressionTests {
    static let text = Array(String(repeating: "one two three four ", count: 5_000).utf8)

    /// How a server may frame a response.
    enum Framing: CaseIterable { case length, chunks, close }

    private static func server(_ content: [UInt8], _ encoding: String, _ framing: Framing) -> FaultServer {
        FaultServer { connection in
            while connection.readRequest() != nil {
                let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(encoding)\r\n"
                switch framing {
                case .length:
                    connection.write(
                        Array((head + "Content-Length: \(content.count)\r\n\r\n").utf8) + content)
                case .chunks:
                    connection.write(head + "Transfer-Encoding: chunked\r\n\r\n")
                    // Odd pieces, so that every boundary falls somewhere else.
                    for start in stride(from: 0, to: content.count, by: 777) {
                        let piece = content[start..<min(start + 777, content.count)]
                        connection.write(
                            Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + [13, 10])
                    }
                    connection.write("0\r\n\r\n")
                case .close:
                    connection.write(Array((head + "Connection: close\r\n\r\n").utf8) + content)
                    return
                }
            }
        }
    }

    /// What a request, a stream and a file come to: the content, or the error.
    private static func outcomes(
        _ content: [UInt8], _ encoding: String, _ framing: Framing = .length
    ) async throws -> [Result<[UInt8], NetworkError>] {
        let server = server(content, encoding, framing)
        defer { server.stop() }
        let transport = transport { $0.acceptsCompression = true }
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: path) }
        var outcomes: [Result<[UInt8], NetworkError>] = []
        outcomes.append(
            await result { () throws(NetworkError) in
                try await transport.send(.get, server.url).body.bytes ?? []
            })
        outcomes.append(
            await result { () throws(NetworkError) in
                var bytes: [UInt8] = []
                for try await chunk in try await transport.stream(.get, server.url).body { bytes += chunk }
                return bytes
            })
        outcomes.append(
            await result { () throws(NetworkError) in
                try await transport.stream(.get, server.url).body.write(toFile: path, upToBytes: .max)
                return [UInt8]((try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data())
            })
        if case .failure = outcomes[2] { #expect(!FileManager.default.fileExists(atPath: path)) }
        return outcomes
    }

    private static func result(
        _ body: () async throws(NetworkError) -> [UInt8]
    ) async -> Result<[UInt8], NetworkError> {
        do throws(NetworkError) { return .success(try await body()) } catch { return .failure(error) }
    }

    private static func codes(_ outcomes: [Result<[UInt8], NetworkError>]) -> [NetworkError.Code?] {
        outcomes.map { outcome in
            if case .failure(let error) = outcome { return error.code }
            return nil
        }
    }

    static let whole: [(String, [UInt8])] = [
        ("gzip", Compressed.gzip(text)), ("x-gzip", Compressed.gzip(text)), ("GZIP", Compressed.gzip(text)),
        ("deflate", Compressed.zlib(text)), ("deflate", Compressed.raw(text)),
    ]

    @Test(arguments: whole, Framing.allCases)
    func everyFormIsRead(form: (encoding: String, content: [UInt8]), framing: Framing) async throws {
        for outcome in try await Self.outcomes(form.content, form.encoding, framing) {
            #expect(try outcome.get() == Self.text)
        }
    }

    @Test(arguments: whole, Framing.allCases)
    func contentThatEndsEarlyIsTruncated(
        form: (encoding: String, content: [UInt8]), framing: Framing
    ) async throws {
        for missing in [1, 4, 9, form.content.count / 2, form.content.count - 1] {
            let codes = Self.codes(
                try await Self.outcomes(Array(form.content.dropLast(missing)), form.encoding, framing))
            #expect(codes == [.truncated, .truncated, .truncated], "\(missing) bytes are missing")
        }
    }

    @Test func severalMembersAreOneContent() async throws {
        let halves = Self.text[..<40_000], rest = Self.text[40_000...]
        let content = Compressed.gzip(Array(halves)) + Compressed.gzip([]) + Compressed.gzip(Array(rest))
        for framing in Framing.allCases {
            for outcome in try await Self.outcomes(content, "gzip", framing) {
                #expect(try outcome.get() == Self.text)
            }
            let torn = Self.codes(try await Self.outcomes(Array(content.dropLast(3)), "gzip", framing))
            #expect(torn == [.truncated, .truncated, .truncated])
        }
    }

    @Test func damagedContentIsMalformed() async throws {
        let gzip = Compressed.gzip(Self.text)
        var badChecksum = gzip
        badChecksum[gzip.count - 6] ^= 1
        var badLength = gzip
        badLength[gzip.count - 2] ^= 1
        var badChecksumOfZlib = Compressed.zlib(Self.text)
        badChecksumOfZlib[badChecksumOfZlib.count - 1] ^= 1
        let damaged: [(String, [UInt8])] = [
            ("gzip", badChecksum), ("gzip", badLength), ("deflate", badChecksumOfZlib),
            ("gzip", gzip + Array("trailing garbage".utf8)), ("gzip", gzip + [0]),
            ("deflate", Compressed.zlib(Self.text) + [1]), ("deflate", Compressed.raw(Self.text) + [1]),
            ("gzip", Compressed.zlib(Self.text)), ("gzip", Array("this is no gzip".utf8)),
            ("deflate", [0xFF, 0xFF, 0xFF]),
        ]
        for (encoding, content) in damaged {
            let codes = Self.codes(try await Self.outcomes(content, encoding))
            #expect(
                codes == [.malformedResponse, .malformedResponse, .malformedResponse],
                "\(encoding), \(content.count) bytes")
        }
    }

    /// What was not offered is an error, not content that nobody can read.
    @Test(arguments: ["br", "zstd", "compress", "gzip, gzip", "gzip, br", "deflate, gzip", "unknown"])
    func otherCodingsAreRefused(encoding: String) async throws {
        let codes = Self.codes(try await Self.outcomes(Compressed.gzip(Self.text), encoding))
        #expect(codes == [.malformedResponse, .malformedResponse, .malformedResponse])
    }

    @Test func identityChangesNothing() async throws {
        let server = FaultServer { _ in ok("plain", fields: "Content-Encoding: identity\r\n") }
        defer { server.stop() }
        let transport = transport { $0.acceptsCompression = true }
        let response = try await transport.send(.get, server.url)
        #expect(response.text == "plain" && response.fields[.contentLength] == "5")
        #expect(server.requests.first?.value("accept-encoding") == "gzip, deflate")
    }

    @Test func noContentIsNoTornContent() async throws {
        for encoding in ["gzip", "deflate"] {
            for framing in Framing.allCases {
                for outcome in try await Self.outcomes([], encoding, framing) {
                    #expect(try outcome.get() == [])
                }
            }
        }
        let server = FaultServer { request in
            let status =
                request.line.hasPrefix("HEAD")
                ? "200 OK" : request.line.contains("204") ? "204 No Content" : "304 Not Modified"
            let length = status.hasPrefix("204") ? "" : "Content-Length: 1234\r\n"
            return "HTTP/1.1 \(status)\r\nContent-Encoding: gzip\r\n\(length)\r\n"
        }
        defer { server.stop() }
        let transport = transport { $0.acceptsCompression = true }
        #expect(try await transport.send(.head, server.url).fields["Content-Encoding"] == "gzip")
        #expect(try await transport.send(.get, server.url + "/204").status == 204)
        #expect(try await transport.send(.get, server.url + "/304").status == 304)
        #expect(server.connectionCount == 1)
    }

    /// Who asks for an encoding, or for a part of an encoded representation, decodes it.
    @Test func whatARequestAsksForIsLeftToIt() async throws {
        let content = Compressed.gzip(Self.text)
        let server = Self.server(content, "gzip", .length)
        defer { server.stop() }
        let transport = transport { $0.acceptsCompression = true }
        for fields: HTTPFields in [["Accept-Encoding": "gzip"], ["Range": "bytes=0-99999"]] {
            let response = try await transport.send(.get, server.url, fields: fields)
            #expect(response.body.bytes == content && response.fields["Content-Encoding"] == "gzip")
        }
        #expect(server.requests.map { $0.value("accept-encoding") } == ["gzip", nil])
        #expect(try await transport.send(.get, server.url).body.bytes == Self.text)
        #expect(server.requests.last?.value("accept-encoding") == "gzip, deflate")
        #expect(server.connectionCount == 1)
    }

    /// A reader that pauses repeatedly gets every byte once.
    @Test(arguments: ["gzip", "deflate"])
    func aSlowReaderGetsEveryByteOnce(encoding: String) async throws {
        let content = pattern(0..<600_000) + noise(400_000) + [UInt8](repeating: 7, count: 1_000_000)
        let packed = encoding == "gzip" ? Compressed.gzip(content) : Compressed.zlib(content)
        let server = Self.server(packed, encoding, .chunks)
        defer { server.stop() }
        let transport = transport { $0.acceptsCompression = true }
        let sibling = FaultServer { _ in ok() }
        defer { sibling.stop() }
        var received: [UInt8] = []
        for try await chunk in try await transport.stream(.get, server.url).body {
            received += chunk
            #expect(chunk.count <= 256 << 10)
            #expect(try await transport.send(.get, sibling.url).status == 200)
        }
        #expect(received == content)
    }
}
