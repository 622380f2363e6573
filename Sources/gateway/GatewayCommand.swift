import CommandArguments
import GatewayClient
import GatewayLibC

/// The command for people at a shell.
@main
enum GatewayCommand {
    @MainActor
    static func main() async {
        StandardDescriptors.occupy()
        Interruption.catchSignals()
        // A reader that is gone is noticed by the result of `write`.
        _ = signal(SIGPIPE, SIG_IGN)
        let work = Task { await run() }
        let interruption = Interruption(cancelling: work)
        let status = await work.value
        // Threads of libcurl may still be at work: nothing is torn down under them.
        _exit(interruption.status ?? status)
    }

    @MainActor
    private static func run() async -> Int32 {
        do {
            switch try Commands.program.invocation(ProcessArguments.read()) {
            case .text(let text):
                try Console.print(text)
                return ExitStatus.success
            case .command(let action, let arguments): return try await action(arguments)
            }
        } catch is Console.BrokenPipe {
            return ExitStatus.success
        } catch let error as UsageError {
            Console.complain(
                lines: Commands.program.text(of: error).split(separator: "\n").map { String($0) })
            return ExitStatus.usage
        } catch let failure as CommandFailure {
            Console.complain(lines: failure.lines)
            return failure.status
        } catch is CancellationError {
            return ExitStatus.network
        } catch {
            let failure = CommandFailure(NetworkError(wrapping: error))
            if !Task.isCancelled { Console.complain(lines: failure.lines) }
            return failure.status
        }
    }
}
