import Foundation
import GatewayClient
import GatewayTesting

/// Says how to call the gateway, and waits until standard input ends.
func serve(_ gateway: EmbeddedGateway) throws {
    let token = try gateway.issueAccessToken()
    print("The bookshop is served at \(gateway.apiURL)")
    print("Tokens are had at        \(gateway.tokenURL)")
    print("  client \(gateway.client.id), secret '\(gateway.client.secret.exposed)'")
    print(
        "A token, good for \(Int(EmbeddedGateway.Configuration().accessTokenLifetime.components.seconds)) s:")
    print(token.token.exposed)
    print("It ends when standard input does (Ctrl-D) or with Ctrl-C.")
    fflush(nil)
    while readLine() != nil {}
}

func run(_ options: Options) async -> Int32 {
    do {
        var configuration = EmbeddedGateway.Configuration()
        configuration.bookCount = max(options.calls, 200)
        let gateway = try EmbeddedGateway.start(configuration)
        defer { gateway.shutdown() }
        if options.isServing {
            try serve(gateway)
            return 0
        }
        var demo = Demo(gateway: gateway)
        try await demo.typedCalls()
        try await demo.revocation(calls: options.calls)
        try await demo.outage()
        try await demo.duplicates()
        return demo.summarise() ? 0 : 1
    } catch {
        Terminal.complain("\(error)")
        return 1
    }
}

switch Options.parse(Array(CommandLine.arguments.dropFirst())) {
case .help: print(Options.usage)
case .wrong(let complaint):
    Terminal.complain(complaint)
    exit(2)
case .run(let options): exit(await run(options))
}
