/// What the command line says.
enum Options {
    case help
    case orders
    case demonstration
    case wrong(String)

    static let usage = """
        usage: bookshop-orders [--demo]

        Places orders at the bookshop. Each line of standard input is one: the ID of a book and a number of copies.
        An order is stored before "stored" is printed, and is sent when that is possible: the shop may be down, and
        the program may be killed at any moment. When the input ends, it sends for up to a minute what is stored.

        --demo     Plays that: a shop of its own that is down at first, and programs that are killed.
        -h, --help This text.

        Variables: GATEWAY_BASE_URL, GATEWAY_TOKEN_URL, GATEWAY_CLIENT_ID, GATEWAY_CLIENT_SECRET_FILE and others of the
        client; GATEWAY_QUEUE_FILE, GATEWAY_QUEUE_CONCURRENCY, GATEWAY_QUEUE_COUNT. `gateway queue list` shows what waits.
        Exit status: 0 when nothing is left, 1 when something is or an order was refused, 2 for wrong usage.
        """

    static func parse(_ arguments: [String]) -> Options {
        switch arguments {
        case []: .orders
        case ["--demo"]: .demonstration
        case let words where words.contains("-h") || words.contains("--help"): .help
        default: .wrong("unknown argument '\(arguments.first { $0 != "--demo" } ?? "--demo")'")
        }
    }
}
