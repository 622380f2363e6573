import BenchmarkClients
import CommandArguments
import FoundationEssentials
import Glibc

/// The command: `gateway-bench http …`, and the hidden `gateway-bench client …` that it runs itself as.
@main
struct GatewayBench {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "client" {
            await ClientProcess.run(Array(arguments.dropFirst()), OwnClients.measure)
        }
        if arguments.first?.hasPrefix("client-") == true { return await own(arguments) }
        do {
            switch try Commands.program.invocation(arguments) {
            case .text(let text): print(text, terminator: "")
            case .command(let action, let arguments): exit(try await action(arguments) ? 0 : 1)
            }
        } catch let error as UsageError {
            Terminal.complain("gateway-bench: \(Commands.program.text(of: error))")
            exit(2)
        } catch {
            Children.stopAll()
            Terminal.complain("gateway-bench: \(error)")
            exit(1)
        }
    }
}

extension GatewayBench {
    /// Runs as a client of one of our own measurements.
    private static func own(_ arguments: [String]) async {
        do {
            let options = Array(arguments.dropFirst())
            switch arguments[0] {
            case "client-keys": try BenchProcess.say(try await KeyBurst.client(options))
            case "client-generator": try BenchProcess.say(try CodecMemory.client(options))
            case "client-rollover": try BenchProcess.say(try await RolloverClient(options).run())
            default: exit(2)
            }
            exit(0)
        } catch {
            Terminal.complain("\(arguments[0]): \(error)")
            exit(1)
        }
    }
}
