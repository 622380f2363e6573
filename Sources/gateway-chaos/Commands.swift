import CommandArguments

/// The commands of `gateway-chaos`. The action of each returns the exit status.
enum Commands {
    typealias Action = @Sendable (ParsedArguments) throws -> Int32
    typealias Command = CommandSpec<Action>

    static let program: ProgramSpec<Action> = {
        let serve = Command(name: "serve", limit: nil, options: ServeOptions.options) { arguments in
            try GatewayChaos.serve(ServeOptions(arguments))
            return 0
        }
        let controls = ["set", "show", "reset", "statistics", "close", "shutdown"].map { name in
            Command(name: name, limit: nil, options: ControlClient.options) { arguments in
                try ControlClient.run(name, arguments) ? 0 : 1
            }
        }
        var program = ProgramSpec(name: "gateway-chaos", commands: [serve] + controls, help: { help })
        program.hasCommandHelp = false
        return program
    }()

    private static var help: String {
        """
        usage: gateway-chaos serve --to PORT [options] [key=value …]
               gateway-chaos set --control PATH key=value …
               gateway-chaos show|reset|statistics|shutdown --control PATH
               gateway-chaos close [reset] --control PATH

        A TCP proxy on 127.0.0.1 that breaks what passes through it, for tests of clients and servers. It listens on
        127.0.0.1 and connects to 127.0.0.1 alone.

        serve prints a line of JSON with its port when it is ready, and ends on SIGTERM, SIGINT and 'shutdown'.
        The other commands are sent to a running proxy; each prints its response, a line of JSON. The control socket
        takes the same commands as lines of text, and only from the user that started the proxy.

        options of serve:

        """ + OptionSpec.table(of: ServeOptions.options + [.help]) + """

            keys for all connections:
              mode=MODE           open        bytes are forwarded
                                  refuse      new connections are refused
                                  half-open   new connections are accepted; nothing is read, written or closed
                                  black-hole  attempts to connect get no answer; nothing is read, written or closed
              reset=P             the probability that a connection is reset after the first bytes of the client
              profile=NAME        replaces all settings: perfect, 3g, very-bad or total-loss

            keys for both directions, or for one with the prefix 'up.' (client to server) or 'down.':
              delay=TIME          the delay of each piece, such as 200ms or 1.5s
              jitter=TIME         what is added to the delay at most
              rate=BYTES|off      bytes per second and connection, such as 4096, 64k or 1M
              loss=P              the probability that a piece is lost and sent again 200 ms later, or later still
              stall=on|off        nothing is forwarded
              cut=BYTES|off       a connection is closed after so many bytes

            set changes what it names. reset returns to the settings of the command line, to their seed, and to counts of
            zero. close ends all connections, or resets them. Up to 256 KiB in each direction of a connection wait in the
            proxy; then its sender is slowed down.

            Exit status: 0 done, 1 rejected by the proxy, 2 wrong usage, 3 a port or socket cannot be used.

            """
    }
}
