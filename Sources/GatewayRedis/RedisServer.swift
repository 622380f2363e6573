import GatewayAuth
import GatewayCore

/// A connection with the thread that it is used on.
final class RedisServer: Sendable {
    private let worker = WorkerThread()
    private let connection: RedisConnection

    init(_ configuration: RedisConfiguration) { connection = RedisConnection(configuration) }

    func run(
        _ body: @escaping @Sendable (RedisConnection) throws(NetworkError) -> RedisReply
    ) async throws(NetworkError) -> RedisReply {
        let connection = connection
        return try await worker.run { () throws(NetworkError) in try body(connection) }
    }

    func evaluate(
        _ script: String, _ key: String, _ arguments: [[UInt8]]
    ) async throws(NetworkError) -> RedisReply {
        try await run { connection throws(NetworkError) in
            try connection.evaluate(script, key: key, arguments)
        }
    }

    /// Has a script run some time, whatever comes of it.
    func post(_ script: String, _ key: String, _ arguments: [[UInt8]]) {
        let connection = connection
        worker.post { _ = try? connection.evaluate(script, key: key, arguments) }
    }

    /// Has something done with the connection after a while, on its own thread: it needs no thread of Swift's pool.
    func later(after pause: Duration, _ body: @escaping @Sendable (RedisConnection) -> Void) {
        let connection = connection
        worker.post(after: pause) { body(connection) }
    }
}
