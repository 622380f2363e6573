import BenchmarkClients
import FoundationEssentials
import Glibc

/// A process that measures a client, by default one of this program: it prints one line of JSON at its end, and comes to
/// an end when its input is closed.
final class BenchProcess {
    private let process: ChildProcess
    private let name: String

    /// - Parameters:
    ///   - program: the path of another program.
    ///   - environment: variables that are added to those of this process. Secrets are passed in them, since arguments are
    ///     visible to all users.
    init(
        _ arguments: [String], of program: String? = nil, environment: [String: String] = [:]
    ) throws(BenchmarkFailure) {
        name = arguments.prefix(2).joined(separator: " ")
        process = try ChildProcess(
            program ?? Program.own, arguments, environment: environment, input: .pipe, output: .pipe)
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
        _ type: Value.Type, _ arguments: [String], of program: String? = nil,
        environment: [String: String] = [:]
    ) throws -> Value {
        let process = try BenchProcess(arguments, of: program, environment: environment)
        return try process.result(type)
    }

    /// Writes the result of a client's process.
    static func say(_ value: some Encodable) throws {
        Terminal.printLine(try JSONEncoder().encode(value))
    }
}
