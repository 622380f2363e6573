import GatewayClient

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The command for people at a shell.
@main
enum GatewayCommand {
    @MainActor
    static func main() async {
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
            switch try Invocation(ProcessArguments.read()) {
            case .print(let text):
                try Console.print(text)
                return ExitStatus.success
            case .call(let arguments): return try await CallCommand(arguments).run()
            case .token(let arguments): return try await TokenCommand(arguments).run()
            case .login(let arguments): return try await LoginCommand(arguments).run()
            case .logout(let arguments): return try await LogoutCommand(arguments).run()
            case .status(let arguments):
                var command = StatusCommand(arguments)
                return try await command.run()
            case .queue(let arguments): return try await QueueCommand(arguments).run()
            }
        } catch is Console.BrokenPipe {
            return ExitStatus.success
        } catch let error as UsageError {
            Console.complain(error.text)
            return ExitStatus.usage
        } catch let failure as CommandFailure {
            Console.complain(failure.text)
            return failure.status
        } catch is CancellationError {
            return ExitStatus.network
        } catch {
            let failure = CommandFailure(NetworkError(wrapping: error))
            if !Task.isCancelled { Console.complain(failure.text) }
            return failure.status
        }
    }
}
