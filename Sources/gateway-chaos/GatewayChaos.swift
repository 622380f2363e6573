import CEpoll
import CommandArguments
import GatewayLibC

/// The command `gateway-chaos`.
@main
enum GatewayChaos {
    static func main() {
        _ = signal(SIGPIPE, SIG_IGN)
        do {
            switch try Commands.program.invocation(Array(CommandLine.arguments.dropFirst())) {
            case .text(let text): print(text, terminator: "")
            case .command(let action, let arguments): exit(try action(arguments))
            }
        } catch let error as UsageError {
            complain(Commands.program.text(of: error))
            exit(2)
        } catch let error as SystemError {
            complain(error.text)
            exit(3)
        } catch {
            complain("\(error)")
            exit(3)
        }
    }

    static func serve(_ options: ServeOptions) throws {
        closeInheritedDescriptors()
        raiseDescriptorLimit()
        var mask = sigset_t()
        unsafe sigemptyset(&mask)
        for number in [SIGTERM, SIGINT] { unsafe sigaddset(&mask, number) }
        unsafe sigprocmask(SIG_BLOCK, &mask, nil)
        let signals = unsafe signalfd(-1, &mask, Int32(SFD_CLOEXEC))
        guard signals >= 0 else { throw SystemError("signals cannot be received") }
        let proxy = try Proxy(options)
        var control: Int32 = -1
        if let path = options.control { control = try Sockets.listening(path: path) }
        defer { if let path = options.control { unsafe unlink(path) } }
        print(
            JSONText.object(
                [("port", "\(proxy.listener.port)"), ("to", "\(options.target)")]
                    + (options.control.map { [("control", JSONText.string($0))] } ?? [])))
        fflush(nil)
        proxy.run(signals: signals, control: control, input: options.endsWithInput ? STDIN_FILENO : nil)
    }

    /// Closes what the process that started this one left open: a copy of one of its sockets would keep that connection
    /// open after its own was closed.
    private static func closeInheritedDescriptors() {
        for descriptor in (STDERR_FILENO + 1)..<65_536 { Sockets.close(descriptor) }
    }

    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        #if canImport(Glibc)
            let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let files = RLIMIT_NOFILE
        #endif
        guard unsafe getrlimit(files, &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, 262_144)
        _ = unsafe setrlimit(files, &limit)
    }

    private static func complain(_ text: String) {
        let bytes = Array("gateway-chaos: \(text)\n".utf8)
        _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
    }
}
