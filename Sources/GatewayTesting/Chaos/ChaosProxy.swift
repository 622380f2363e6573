public import GatewayCore
import GatewayJSON

/// A TCP proxy in a process of its own that breaks the connections of a test: `gateway-chaos`, started and controlled.
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
/// It works with real bytes, so it tests what a ``SimulatedNetwork`` cannot: kept connections, partial responses, real time
/// limits. It listens on 127.0.0.1 and connects to 127.0.0.1 alone.
///
/// Tests of a package of yours need the product `gateway-chaos` built: add it to the dependencies of the test target. The
/// proxy ends with ``shutdown()``, when nobody holds it any more, and with the process that started it. Its functions block
/// for the time of a round trip to the other process.
public final class ChaosProxy: Sendable {
    /// Why a proxy did not start, or rejected a command.
    public struct Failure: Error, CustomStringConvertible {
        /// A sentence that says what failed.
        public let message: String

        init(_ message: String) { self.message = message }

        /// The message.
        public var description: String { message }
    }

    /// What a proxy has counted since it started or was reset.
    public struct Statistics: Hashable, Sendable {
        /// Connections of clients.
        public var accepted = 0
        /// Those that are open.
        public var open = 0
        /// Those that both sides have ended.
        public var finished = 0
        /// Those that were reset.
        public var reset = 0
        /// Those that were cut.
        public var cut = 0
        /// Those that the server refused; they count as reset, too.
        public var unreachable = 0
        /// Bytes from clients that were passed on.
        public var bytesUp = 0
        /// Bytes from the server that were passed on.
        public var bytesDown = 0
    }

    /// The port that clients connect to.
    public let port: UInt16
    /// The origin that clients call, for a server of plain HTTP.
    public let origin: Origin
    private let process: ChaosProcess

    /// Starts a proxy.
    ///
    /// - Parameters:
    ///   - target: the port of the server on 127.0.0.1. It need not listen yet.
    ///   - conditions: the conditions from the start, and after ``reset()``.
    ///   - seed: what jitter, loss and resets are drawn from.
    ///   - program: the path of `gateway-chaos`; by default it is searched beside the running program, then in `PATH`.
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

    /// Changes the conditions, for open connections too.
    public func apply(_ conditions: Conditions) throws(Failure) {
        _ = try execute("set " + conditions.assignments.joined(separator: " "))
    }

    /// Returns to the conditions and the seed of the start, and to counts of zero.
    public func reset() throws(Failure) { _ = try execute("reset") }

    /// What it has counted.
    public func statistics() throws(Failure) -> Statistics {
        let counts = try execute("statistics")["statistics"]
        func count(_ name: String) -> Int { counts?[name]?.int ?? 0 }
        return Statistics(
            accepted: count("accepted"), open: count("open"), finished: count("finished"),
            reset: count("reset"), cut: count("cut"), unreachable: count("unreachable"),
            bytesUp: count("bytes_up"), bytesDown: count("bytes_down"))
    }

    /// Ends all open connections, with a reset if that is asked for.
    public func closeConnections(reset: Bool = false) throws(Failure) {
        _ = try execute(reset ? "close reset" : "close")
    }

    /// Ends the process and returns when it has ended. Further calls have no effect.
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
