import Foundation
import GatewayClient

/// The built program, in a process of its own.
final class ServiceProcess: Sendable {
    private let process = Process()
    private let url: String
    private let engine: GatewayEngine

    /// Starts it, and returns when it listens.
    init(_ environment: [String: String]) async throws {
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "orders-service")
        process.environment = environment
        process.standardOutput = output
        try process.run()
        var line = Data()
        while !line.contains(UInt8(ascii: "\n")) {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw Failure(description: "It has ended without a line: see above.") }
            line += data
        }
        url = String(decoding: line.split(separator: UInt8(ascii: " ")).last ?? [], as: UTF8.self)
            .trimmingCharacters(in: .newlines)
        var configuration = GatewayConfiguration()
        configuration.retry.policy = .never
        engine = try configuration.makeEngine()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    struct Failure: Error, CustomStringConvertible { let description: String }

    func send(
        _ method: HTTPMethod, _ path: String, _ fields: HTTPFields = HTTPFields(), body: [UInt8] = []
    ) async throws -> HTTPResponse {
        try await engine.send(
            try HTTPRequest(method, url + path, fields: fields, body: body.isEmpty ? .empty : .bytes(body)))
    }

    func send(_ method: HTTPMethod, _ path: String, json: JSONValue) async throws -> HTTPResponse {
        try await send(method, path, [.contentType: "application/json"], body: try json.jsonBytes())
    }

    /// Opens a connection of its own.
    func connect() async throws(NetworkError) {
        let engine = try GatewayConfiguration().makeEngine()
        _ = try await engine.send(
            try HTTPRequest(.get, url + "/healthz"), options: CallOptions(retry: .never))
        await engine.shutdown(within: .zero)
    }

    /// Sends SIGTERM.
    func terminate() { kill(process.processIdentifier, SIGTERM) }

    /// Its exit status, when it has ended within 30 s.
    func exitStatus() async throws -> Int32? {
        guard try await isEventually({ [process] in !process.isRunning }) else {
            kill(process.processIdentifier, SIGKILL)
            return nil
        }
        return process.terminationStatus
    }
}

/// Whether a condition holds within 30 s.
func isEventually(
    isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async throws -> Bool {
    for _ in 0..<3000 {
        if try await condition() { return true }
        try await Task.sleep(for: .milliseconds(10))
    }
    return false
}
