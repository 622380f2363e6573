import GatewayAuth
import GatewayClient
import GatewayCore
import GatewayTesting
import Testing

// The counter exists in debug builds only.
#if DEBUG
    /// What one call costs over the whole stack: entry, authentication, coalescing, retries, attempt and transport.
    @Suite struct CallCostTests {
        private actor Tokens: TokenProvider {
            private var number = 1
            func currentToken() async throws -> String? { "token-\(number)" }
            func refreshToken() async throws -> String {
                number += 1
                return "token-\(number)"
            }
        }

        private static let context = "box of RequestContext"

        private func client(
            _ replies: [Int], configuration: GatewayConfiguration = GatewayConfiguration(),
            middleware: MiddlewareChain = MiddlewareChain()
        ) -> BookshopClient {
            let transport = ScriptedTransport { _, index in
                .status(
                    replies[min(index, replies.count - 1)], fields: [.contentType: "application/json"],
                    #"{"items":[],"nextCursor":null}"#)
            }
            return BookshopClient(
                server: .init(url: "https://api.test/v1"),
                credentials: .init(bookshopAuth: .provider(Tokens())), middleware: middleware,
                engine: GatewayEngine(
                    transport: transport, tokenTransport: ScriptedTransport(), configuration: configuration))
        }

        private func count(_ call: () async throws -> Void) async throws -> CallCounter {
            let counter = CallCounter()
            try await CallCounter.$current.withValue(counter) { try await call() }
            return counter
        }

        @Test func aGeneratedCallIsValidatedOnce() async throws {
            let api = client([200])
            _ = try await api.books.list(limit: 5)
            let counter = try await count { _ = try await api.books.list(limit: 5) }
            #expect(counter["validation"] == 1)
        }

        @Test func aCallByHandIsValidatedOnce() async throws {
            let engine = GatewayEngine(
                transport: ScriptedTransport(.status(200)), tokenTransport: ScriptedTransport())
            let request = try HTTPRequest(.get, "https://api.test/")
            let counter = try await count {
                _ = try await engine.send(request)
                _ = try await engine.send(request)
            }
            #expect(counter["validation"] == 1)
        }

        @Test func retriesAndReplaysAreNotValidatedAgain() async throws {
            var configuration = GatewayConfiguration()
            configuration.retry.policy = .immediate(attempts: 3)
            let api = client([503, 401, 200], configuration: configuration)
            let counter = try await count { _ = try await api.books.list() }
            #expect(counter["validation"] == 1)
        }

        @Test func aCallHasOneContext() async throws {
            let api = client([200])
            _ = try await api.books.list(limit: 5)
            let counter = try await count { _ = try await api.books.list(limit: 5) }
            #expect(counter[Self.context] == 1)
        }

        private struct Unchanging: CallMiddleware {}

        @Test func middlewareThatChangesNothingCostsNoMore() async throws {
            let api = client([200], middleware: [Unchanging()])
            _ = try await api.books.list(limit: 5)
            let counter = try await count { _ = try await api.books.list(limit: 5) }
            #expect(counter[Self.context] == 1 && counter["validation"] == 1)
        }

        @Test func aReplayHasOneMore() async throws {
            let api = client([200, 401, 200])
            _ = try await api.books.list()
            let counter = try await count { _ = try await api.books.list() }
            #expect(counter[Self.context] == 2)
        }

        @Test func aStreamHasOneContext() async throws {
            let engine = GatewayEngine(
                transport: ScriptedTransport(.status(200)), tokenTransport: ScriptedTransport())
            let request = try HTTPRequest(.get, "https://api.test/")
            let counter = try await count { _ = try await engine.stream(request) }
            #expect(counter[Self.context] == 1)
        }
    }
#endif
