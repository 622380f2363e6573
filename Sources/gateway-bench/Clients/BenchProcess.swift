import Foundation

/// This program as a client: it writes one line of JSON at its end, and can be told to end by closing its input.
final class BenchProcess {
    private let process: ChildProcess
    private let name: String

    /// - Parameter environment: Variables that are added to those of this process. Secrets are passed in them, since
    ///   arguments are visible to all users.
    init(_ arguments: [String], environment: [String: String] = [:]) throws(BenchmarkFailure) {
        name = arguments.prefix(2).joined(separator: " ")
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
        process = try ChildProcess(
            program, arguments, environment: environment, input: .pipe, output: .pipe)
        Children.add(process)
    }

    /// Tells it to come to an end.
    func stop() { process.closeInput() }

    /// What it writes at its end.
    func result<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let line = process.readOutput()
        let status = Children.waitUntilExit(process)
        guard status == 0 else {
            throw BenchmarkFailure.failed("'\(name)' failed with status \(status)")
        }
        return try JSONDecoder().decode(type, from: line)
    }

    /// Runs one to its end.
    static func run<Value: Decodable>(
        _ type: Value.Type, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> Value {
        let process = try BenchProcess(arguments, environment: environment)
        return try process.result(type)
    }

    /// Writes the result of a client's process.
    static func say(_ value: some Encodable) throws {
        FileHandle.standardOutput.write(try JSONEncoder().encode(value) + [0x0A])
    }
}
