import CLibhiredis
import GatewayAuth
import GatewayCore
private import GatewayLibC

/// A connection that is made when it is needed, and made anew when it broke. It blocks.
///
/// It is used on one thread only, the `WorkerThread` of its server, and let go when that has nothing left to do.
@safe final class RedisConnection: @unchecked Sendable {
    private let configuration: RedisConfiguration
    private var context: UnsafeMutablePointer<redisContext>?

    init(_ configuration: RedisConfiguration) { self.configuration = configuration }

    deinit { disconnect() }

    /// Runs a script that does the same when it is run twice: a connection that the server has closed meanwhile is
    /// found out by using it, and then nobody knows whether the script ran.
    func evaluate(_ script: String, key: String, _ arguments: [[UInt8]]) throws(NetworkError) -> RedisReply {
        let command =
            [Array("EVAL".utf8), Array(script.utf8), [UInt8(ascii: "1")], Array(key.utf8)] + arguments
        return try run(command)
    }

    /// Runs a command that does the same when it is run twice.
    func run(_ command: [[UInt8]]) throws(NetworkError) -> RedisReply {
        let isUsed = unsafe context != nil
        try connect()
        if let reply = send(command) { return try accept(reply) }
        guard isUsed else { throw broken() }
        try connect()
        guard let reply = send(command) else { throw broken() }
        return try accept(reply)
    }

    private func broken() -> NetworkError {
        .storeFailed("Redis closed the connection or did not reply in time.")
    }

    private func accept(_ reply: RedisReply) throws(NetworkError) -> RedisReply {
        guard case .error(let word) = reply else { return reply }
        // The next command begins anew: a server that was demoted, say, is not asked for ever.
        disconnect()
        switch word {
        case "NOAUTH", "WRONGPASS", "NOPERM":
            throw NetworkError(
                .misconfigured,
                "Redis refused the user or the command (\(word)): check the user, the password and its ACL.")
        default: throw .storeFailed("Redis replied with an error (\(word)).")
        }
    }

    // MARK: hiredis

    private func connect() throws(NetworkError) {
        guard unsafe context == nil else { return }
        let limit = Self.timeval(configuration.connectTimeout)
        let made =
            if let path = configuration.socketPath {
                unsafe redisConnectUnixWithTimeout(path, limit)
            } else {
                unsafe redisConnectWithTimeout(configuration.host, Int32(configuration.port), limit)
            }
        guard let made = unsafe made else {
            throw .storeFailed("No memory is left for a connection to Redis.")
        }
        guard unsafe made.pointee.err == 0 else {
            unsafe redisFree(made)
            throw .storeFailed("No connection to Redis.")
        }
        unsafe context = unsafe made
        _ = unsafe redisSetTimeout(made, Self.timeval(configuration.commandTimeout))
        _ = unsafe redisEnableKeepAlive(made)
        if let password = configuration.password {
            let user = configuration.username.map { [Array($0.utf8)] } ?? []
            try greet([Array("AUTH".utf8)] + user + [Array(password.exposed.utf8)])
        }
        if let database = configuration.database {
            try greet([Array("SELECT".utf8), Array(String(database).utf8)])
        }
    }

    private func greet(_ command: [[UInt8]]) throws(NetworkError) {
        guard let reply = send(command) else { throw broken() }
        _ = try accept(reply)
    }

    private func disconnect() {
        if let context = unsafe context { unsafe redisFree(context) }
        unsafe context = nil
    }

    /// Sends a command and waits for its reply; `nil`, without a connection, where that fails.
    private func send(_ command: [[UInt8]]) -> RedisReply? {
        guard let context = unsafe context else { return nil }
        let joined = command.flatMap { $0 }
        let lengths = command.map(\.count)
        let reply = unsafe joined.withUnsafeBufferPointer { buffer -> UnsafeMutableRawPointer? in
            // Empty arguments need an address, too.
            var place = unsafe buffer.baseAddress.map { unsafe UnsafeRawPointer($0) }
            var arguments = unsafe lengths.map { length -> UnsafePointer<CChar>? in
                defer { unsafe place = place.map { unsafe $0 + length } }
                return unsafe place?.assumingMemoryBound(to: CChar.self)
            }
            return unsafe redisCommandArgv(context, Int32(lengths.count), &arguments, lengths)
        }
        guard let reply = unsafe reply else {
            disconnect()
            return nil
        }
        defer { unsafe freeReplyObject(reply) }
        return unsafe RedisReply(reply.assumingMemoryBound(to: redisReply.self).pointee)
    }

    private static func timeval(_ duration: Duration) -> timeval {
        // Zero would mean without limit, and hiredis takes no limit of a month.
        let (seconds, attoseconds) = min(max(duration, .microseconds(1)), .seconds(86_400)).components
        return .init(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
    }
}
