import Foundation
import GatewayCore
import GatewayTesting
import Testing

/// A gateway, a folder, and the variables that a client needs.
final class CommandRig: Sendable {
    let gateway: EmbeddedGateway
    let folder: String

    init(_ configuration: EmbeddedGateway.Configuration = EmbeddedGateway.Configuration()) throws {
        gateway = try EmbeddedGateway.start(configuration)
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try file("secret", gateway.client.secret.exposed + "\n")
    }

    deinit {
        gateway.shutdown()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The variables of a client with a secret.
    var client: [String: String] {
        [
            "GATEWAY_BASE_URL": gateway.apiURL, "GATEWAY_TOKEN_URL": gateway.tokenURL,
            "GATEWAY_CLIENT_ID": gateway.client.id, "GATEWAY_CLIENT_SECRET_FILE": folder + "/secret",
        ]
    }

    /// Writes a file, and gives its path.
    @discardableResult
    func file(_ name: String, _ text: String) throws -> String {
        try file(name, Array(text.utf8))
    }

    /// Writes a file, and gives its path.
    @discardableResult
    func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        let path = folder + "/" + name
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Starts the command.
    func start(
        _ arguments: [String], _ environment: [String: String]? = nil,
        input: CommandProcess.Input = .nothing, output: CommandProcess.Output = .file
    ) throws -> CommandProcess {
        try CommandProcess(arguments, environment: environment ?? client, input: input, output: output)
    }

    /// Runs the command to its end, and sees to it that nothing it prints is a secret.
    func run(
        _ arguments: [String], _ environment: [String: String]? = nil,
        input: CommandProcess.Input = .nothing, mayPrintToken: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> CommandProcess.Outcome {
        let outcome = try await start(arguments, environment, input: input).outcome()
        if !mayPrintToken { checkSecrecy(outcome, sourceLocation: sourceLocation) }
        return outcome
    }

    /// Fails where an output holds a secret. Access tokens of the gateway are JWTs.
    func checkSecrecy(_ outcome: CommandProcess.Outcome, sourceLocation: SourceLocation = #_sourceLocation) {
        for secret in [gateway.client.secret.exposed, "eyJ", "Bearer ey", "Basic "] {
            // Outputs may be large: bytes are searched, and none are printed.
            let isPrinted =
                Data(outcome.out).range(of: Data(secret.utf8)) != nil || outcome.error.contains(secret)
            #expect(!isPrinted, "a secret is printed", sourceLocation: sourceLocation)
        }
    }
}
