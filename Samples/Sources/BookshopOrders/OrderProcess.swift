import Foundation
import GatewayTesting

/// An order desk in a process of its own.
final class OrderProcess {
    private let process = Process()
    private let (input, output) = (Pipe(), Pipe())
    /// What it has printed so far.
    private(set) var lines: [String] = []
    private var partial = Data()

    init(_ gateway: EmbeddedGateway, _ folder: URL) throws {
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.environment = [
            "GATEWAY_BASE_URL": gateway.apiURL, "GATEWAY_TOKEN_URL": gateway.tokenURL,
            "GATEWAY_CLIENT_ID": gateway.client.id, "GATEWAY_CLIENT_SECRET": gateway.client.secret.exposed,
            "GATEWAY_SCOPE": "orders:write",
            "GATEWAY_QUEUE_FILE": folder.appending(path: "queue.sqlite").path,
            "GATEWAY_QUEUE_CONCURRENCY": "2",
        ]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    var isRunning: Bool { process.isRunning }

    /// Its exit status, after it has ended.
    var status: Int32 { process.terminationStatus }

    func write(_ line: String) { input.fileHandleForWriting.write(Data("\(line)\n".utf8)) }

    /// Reads what it prints, and prints that, until one line is meant or there are no more.
    func read(until isMeant: (String) -> Bool) {
        while true {
            while let end = partial.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: partial[..<end], as: UTF8.self)
                partial = Data(partial[partial.index(after: end)...])
                lines.append(line)
                Output.line("  " + line)
                if isMeant(line) { return }
            }
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { return }
            partial += data
        }
    }

    /// Kills it (SIGKILL): it can do nothing more.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        read { _ in false }
        Output.line("  killed")
    }

    /// Gives it no more orders, and waits until it ends.
    func end() {
        try? input.fileHandleForWriting.close()
        read { _ in false }
        process.waitUntilExit()
    }
}
