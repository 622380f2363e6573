import GatewayClient
import GatewayCore
import GatewayTesting
import Testing

@_spi(Generated) @testable import GatewayOpenAPI

/// Bodies that a document describes as bytes.
@Suite struct DownloadTests {
    /// A body of two parts, and what was done with it.
    private final class Body: Sendable {
        private let parts = Locked(["ab", "cd"])
        private let journal = Locked<[String]>([])

        /// What was sent and read, in order.
        var steps: [String] { journal.withLock { $0 } }

        func read(_ chunk: HTTPBody.Chunk) {
            journal.withLock { $0.append("read " + String(decoding: chunk, as: UTF8.self)) }
        }

        /// A part is sent when the reader asks for it.
        var reply: ScriptedTransport.Reply {
            .streamed(
                status: 200, fields: [.contentType: "application/octet-stream"],
                AsyncThrowingStream<HTTPBody.Chunk, any Error>(unfolding: {
                    let part = self.parts.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                    self.journal.withLock { $0.append("sent " + (part ?? "end")) }
                    return part.map { Array($0.utf8)[...] }
                }))
        }
    }

    /// A caller that has read a part does not depend on what follows: it has the part before the next one is sent.
    private let steps = ["sent ab", "read ab", "sent cd", "read cd", "sent end"]

    @Test func aReplyIsReadBeforeItsEndIsSent() async throws {
        let body = Body()
        let client = APIClient(
            server: "https://api.test", credentials: ConfiguredCredentials(), defaults: CallOptions(),
            engine: ScriptedEngine(body.reply))
        let request = RequestBuilder(
            client,
            OperationDescriptor(
                id: "op", method: "GET", path: "/x", accept: "application/octet-stream", security: nil,
                idempotencyKey: nil),
            CallOptions())
        let reply = await request.open(from: 200, through: 200)
        let response: APIResponse<ResponseBody, UndocumentedHeaders> = try reply.stream(
            NoDocumentedFailure.self)
        for try await chunk in response.value { body.read(chunk) }
        #expect(body.steps == steps)
    }

    /// Through a generated method and all layers of the engine.
    @Test func aDownloadIsReadBeforeItsEndIsSent() async throws {
        let body = Body()
        let engine = GatewayEngine(
            transport: ScriptedTransport(body.reply), tokenTransport: ScriptedTransport())
        let api = HarbourClient(server: .init(url: "https://h.test/v1"), engine: engine)
        for try await chunk in try await api.getLogbook() { body.read(chunk) }
        #expect(body.steps == steps)
    }
}
