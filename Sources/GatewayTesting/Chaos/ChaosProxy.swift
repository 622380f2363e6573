public import GatewayCore
import GatewayJSON

/// Starts and controls `gateway-chaos`: a TCP proxy in a separate process that disturbs the connections of a test.
///
/// ```swift
/// let proxy = try ChaosProxy.start(to: server.port)
/// defer { proxy.shutdown() }
/// // … calls to proxy.origin …
/// try proxy.apply(.blackHole)
/// // … they time out …
/// try proxy.apply(.perfect)
/// ```
///
/// It works with real connections, so it tests what a ``SimulatedNetwork`` cannot: connection reuse, partial responses,
/// real timeouts. It listens only on 127.0.0.1 and connects only to 127.0.0.1.
///
/// The product `gateway-chaos` must be built: add it to the dependencies of your test target. The proxy ends with
/// ``shutdown()``, when it is released, and with the process that started it. Its methods block for a round trip to the
/// other process.
public final class ChaosProxy: Sendable {
    /// Why a proxy did not start or rejected a command.
    public struct Failure: Error, CustomStringConvertible {
        /// A sentence that describes the failure.
        public let message: String

        init(_ message: String) { self.message = message }

        /// The message.
        public var description: String { message }
    }

    /// The counters of a proxy since its start or reset.
    public struct Statistics: Hashable, Sendable {
        /// The number of client connections.
        public var accepted = 0
        /// The number of open connections.
        public var open = 0
        /// The number of connections that both sides have ended.
        public var finished = 0
        /// The number of connections that were reset.
        public var reset = 0
        /// The number of connections that were cut.
        public var cut = 0
        /// The number of connections that the server refused. They are also counted as reset.
        public var unreachable = 0
        /// The number of bytes that were forwarded from clients.
        public var bytesUp = 0
        /// The number of bytes that were forwarded from the server.
        public var bytesDown = 0
    }

    /// The port for clients.
    public let port: UInt16
    /// The origin for clients, for a plain HTTP server.
    public let origin: Origin
    private let process: ChaosProcess

    /// Starts a proxy.
    ///
    /// - Parameters:
    ///   - target: the port of the server on 127.0.0.1. The server need not listen yet.
    ///   - conditions: the initial conditions, also after ``reset()``.
    ///   - seed: the seed for jitter, loss and resets.
    ///   - program: the path of `gateway-chaos`. Default: the folder of the running program, then `PATH`.
    public static func start(
        to target: UInt16, conditions: Conditions = .perfect, seed: UInt64 = 1, program: String? = nil
    ) throws(Failure) -> ChaosProxy {
        try ChaosProxy(target, conditions, seed, program)
    }

    private init(
        _ target: UInt16, _ conditions: Conditions, _ seed: UInt64, _ program: String?
    ) throws(Failure) {
        process = try ChaosProcess(
            program: program,
            arguments: ["--to", "\(target)", "--seed", "\(seed)", "--until-eof"] + conditions.assignments)
        guard let ready = try? JSONValue(jsonBytes: process.firstLine),
            let port = ready["port"]?.int.flatMap({ UInt16(exactly: $0) }),
            let origin = try? Origin("http://127.0.0.1:\(port)")
        else {
            process.stop()
            throw Failure("gateway-chaos did not start; its standard error says why.")
        }
        self.port = port
        self.origin = origin
    }

    deinit { process.stop() }

    /// The process ID of the proxy.
    public var processID: Int32 { process.id }

    /// Changes the conditions, also for open connections.
    public func apply(_ conditions: Conditions) throws(Failure) {
        _ = try execute("set " + conditions.assignments.joined(separator: " "))
    }

    /// Restores the initial conditions and the seed, and sets the counters to zero.
    public func reset() throws(Failure) { _ = try execute("reset") }

    /// The counters.
    public func statistics() throws(Failure) -> Statistics {
        let counts = try execute("statistics")["statistics"]
        func count(_ name: String) -> Int { counts?[name]?.int ?? 0 }
        return Statistics(
            accepted: count("accepted"), open: count("open"), finished: count("finished"),
            reset: count("reset"), cut: count("cut"), unreachable: count("unreachable"),
            bytesUp: count("bytes_up"), bytesDown: count("bytes_down"))
    }

    /// Closes all open connections, optionally with a reset.
    public func closeConnections(reset: Bool = false) throws(Failure) {
        _ = try execute(reset ? "close reset" : "close")
    }

    /// Ends the process and waits for its end. Further calls have no effect.
    public func shutdown() { process.stop() }

    private func execute(_ command: String) throws(Failure) -> JSONValue {
        let line = try process.exchange(command)
        guard let response = try? JSONValue(jsonBytes: line), response["ok"]?.bool == true else {
            let text = (try? JSONValue(jsonBytes: line))?["error"]?.string
            throw Failure(text ?? "gateway-chaos sent no valid response.")
        }
        return response
    }
}
