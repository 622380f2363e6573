import Foundation
import GatewayClient
import GatewayTesting
import Testing

/// A Prometheus that scripts/servers/prometheus.sh has started.
struct PrometheusServer {
    static let plain = value("GATEWAY_TEST_PROMETHEUS")
    static let native = value("GATEWAY_TEST_PROMETHEUS_NATIVE")
    static let targets = value("GATEWAY_TEST_PROMETHEUS_TARGETS")
    static let python = value("GATEWAY_TEST_PYTHON")

    private static func value(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    let url: String
    private let engine = GatewayEngine()

    init(_ url: String?) throws { self.url = try #require(url) }

    /// Lets all servers scrape a port under a name until the test ends.
    static func scrape(port: UInt16, as name: String) throws -> URL {
        let file = URL(filePath: try #require(targets)).appending(path: "\(name).json")
        try Data(#"[{"targets":["127.0.0.1:\#(port)"],"labels":{"test":"\#(name)"}}]"#.utf8)
            .write(to: file, options: .atomic)
        return file
    }

    /// The values of a query that has a vector as its result.
    func values(_ query: String) async throws -> [Double] {
        let result = try await get("query", query)
        let data = try #require((result as? [String: Any])?["result"] as? [[String: Any]])
        return data.compactMap { ($0["value"] as? [Any])?.last as? String }.compactMap(Double.init)
    }

    /// The labels of the exemplars of a query.
    func exemplars(_ query: String) async throws -> [[String: String]] {
        let series = try await get("query_exemplars", query, "&start=0&end=9999999999") as? [[String: Any]]
        return (series ?? []).flatMap { $0["exemplars"] as? [[String: Any]] ?? [] }
            .compactMap { $0["labels"] as? [String: String] }
    }

    private func get(_ path: String, _ query: String, _ rest: String = "") async throws -> Any {
        let encoded = try #require(query.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let response = try await engine.send(
            try HTTPRequest(.get, "\(url)/api/v1/\(path)?query=\(encoded)\(rest)"))
        let bytes = try #require(response.body.bytes)
        let object = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        return try #require(object?["data"], "\(String(decoding: bytes, as: UTF8.self))")
    }

    /// Runs a program with an input. Returns its exit status and all that it printed.
    static func run(_ path: String, _ arguments: [String], input: [UInt8] = []) throws -> (Int32, String) {
        let run = try bytes(path, arguments, input: input)
        return (run.status, try #require(String(validating: run.output, as: UTF8.self)))
    }

    /// Runs a program with an input. Returns its exit status and the bytes that it printed.
    static func bytes(
        _ path: String, _ arguments: [String], input: [UInt8] = []
    ) throws -> (status: Int32, output: [UInt8]) {
        let folder = URL(filePath: NSTemporaryDirectory()).appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (inputFile, outputFile) = (folder.appending(path: "in"), folder.appending(path: "out"))
        try Data(input).write(to: inputFile)
        try Data().write(to: outputFile)
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardInput = try FileHandle(forReadingFrom: inputFile)
        let output = try FileHandle(forWritingTo: outputFile)
        process.standardOutput = output
        process.standardError = output
        try process.run()
        process.waitUntilExit()
        return (process.terminationStatus, Array(try Data(contentsOf: outputFile)))
    }
}
