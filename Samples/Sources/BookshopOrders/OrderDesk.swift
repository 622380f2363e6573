import BookshopAPI
import GatewayClient
import GatewayOfflineQueue

/// Stores orders, and sends them when that is possible.
struct OrderDesk {
    private let api: BookshopClient
    private let queue: OfflineQueueEngine

    struct MissingVariable: Error, CustomStringConvertible {
        let description = "GATEWAY_BASE_URL is not set: it says where the shop is (see --help)"
    }

    /// Opens the queue. Orders that an earlier run of the program has stored are sent, too.
    init() async throws {
        let environment = try GatewayEnvironment()
        guard let shop = environment.baseURL else { throw MissingVariable() }
        let engine = try environment.configuration().makeEngine()
        api = BookshopClient(server: .init(url: "\(shop.origin)\(shop.target)"), engine: engine)
        queue = try await OfflineQueueEngine(
            store: SQLiteQueueStore(path: SQLiteQueueStore.environmentPath()), engine: engine,
            configuration: .environment())
    }

    /// Takes orders until there are no more, then sends what is stored.
    ///
    /// - Returns: whether nothing is left, and the shop has taken all orders of this run of the program.
    func run(_ lines: () -> String?) async throws -> Bool {
        await queue.start()
        var tickets: [TypedTicket<Bookshop.Order>] = []
        while let line = lines() {
            guard let order = Self.order(line) else {
                Output.complain("'\(line)' is not the ID of a book and a number of copies")
                continue
            }
            let ticket = try await queue.enqueue(PreparedCall { [api] in try await api.orders.place(order) })
            {
                $0.orderingKey = order.lines.first?.bookId
            }
            // From here on it outlives the program.
            Output.line("stored \(ticket.id)")
            tickets.append(ticket)
        }
        let report = await queue.drain(until: .after(.seconds(60)))
        var isGood = report.remaining == 0
        if report.remaining == 0 {
            for ticket in tickets where try await !describe(ticket) { isGood = false }
        }
        Output.line("\(report.done) sent, \(report.poison) refused, \(report.remaining) left")
        await queue.stop(within: .seconds(10))
        return isGood
    }

    private func describe(_ ticket: TypedTicket<Bookshop.Order>) async throws -> Bool {
        switch try await ticket.outcome() {
        case .decoded(let order):
            Output.line("placed \(ticket.id): order \(order.id), \(order.status.rawValue)")
            return true
        case .failed(let error):
            if let error = error as? APIError<Bookshop.PlaceOrderFailure>,
                case .documented(.conflict(let problem)) = error.failure
            {
                Output.line("refused \(ticket.id): \(problem.title)")
            } else {
                Output.line("refused \(ticket.id): \(error)")
            }
        case .withoutResponse(let outcome): Output.line("\(outcome)")
        @unknown default: break
        }
        return false
    }

    private static func order(_ line: String) -> Bookshop.NewOrder? {
        let words = line.split(separator: " ")
        guard words.count == 2, let quantity = Int(words[1]) else { return nil }
        return Bookshop.NewOrder(
            lines: [.init(bookId: String(words[0]), quantity: quantity)],
            shipTo: .init(
                name: "A. Reader", street: "1 Main Street", city: "Ghent", postalCode: "9000", country: "BE"))
    }
}
