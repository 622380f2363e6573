import GatewayAuth
import GatewayCore

/// A connection with the thread that it is used on.
final class RedisServer: Sendable {
    private let worker = WorkerThread()
    private let connection: RedisConnection
    private let timer: Timer?

    /// Has something done after a pause.
    typealias Timer = @Sendable (_ pause: Duration, _ work: @escaping @Sendable () -> Void) -> Void

    /// - Parameter timer: `nil` for the timer of the connection's own thread.
    init(_ configuration: RedisConfiguration, timer: Timer? = nil) {
        connection = RedisConnection(configuration)
        self.timer = timer
    }

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
        let (worker, connection) = (worker, connection)
        guard let timer else { return worker.post(after: pause) { body(connection) } }
        timer(pause) { worker.post { body(connection) } }
    }
}
