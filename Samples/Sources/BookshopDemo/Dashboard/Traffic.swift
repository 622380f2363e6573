import BookshopAPI
import Foundation
import GatewayClient
import GatewayTesting
import Synchronization

/// Calls at a bounded rate, whatever becomes of them.
final class Traffic: Sendable {
    private let shop: Shop
    private let rate: Int
    private let others: OtherOperations
    private let inProgress = Atomic(0)
    private let order = Mutex<UUID?>(nil)

    /// - Parameters:
    ///   - rate: calls per second.
    ///   - others: how many operations are called beside those of the document.
    init(_ shop: Shop, rate: Int, others: Int) {
        self.shop = shop
        self.rate = rate
        self.others = OtherOperations(shop, count: others)
        // The health may be stored for two seconds, all else must be validated.
        shop.gateway.route(.get, shop.path("/health")) { _ in
            var reply = EmbeddedGateway.Reply.json(["status": "up", "version": "1.2.0"])
            reply.fields["Cache-Control"] = "max-age=2"
            return reply
        }
        shop.gateway.inject(.reset, probability: 0.001)
        shop.gateway.inject(.latency(.milliseconds(2)...(.milliseconds(9))))
        shop.gateway.inject(.latency(.milliseconds(50)...(.milliseconds(140))), probability: 0.015)
        shop.gateway.inject(.latency(.milliseconds(60)...(.milliseconds(160))), into: .token)
    }

    /// Makes calls until the task is cancelled. What is due while the process does not run is not made up for.
    func run() async {
        await withDiscardingTaskGroup { group in
            let began = ContinuousClock.now
            var number = 0
            while !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(20))
                let due = Int(began.duration(to: .now) / .milliseconds(1)) * rate / 1000
                number = max(number, due - rate / 10)
                while number < due {
                    number += 1
                    guard inProgress.load(ordering: .relaxed) < 1_000 else { continue }
                    // Ten times at once, each 60 calls: they share one exchange.
                    for _ in 0..<(number.isMultiple(of: 60) ? 10 : 1) {
                        group.addTask { [number] in await self.counted(number) }
                    }
                }
            }
        }
    }

    private func counted(_ number: Int) async {
        inProgress.add(1, ordering: .relaxed)
        await call(number)
        inProgress.subtract(1, ordering: .relaxed)
    }

    /// One call. Errors are what the page is there to show.
    private func call(_ number: Int) async {
        let (api, other) = (shop.api, others.count > 0 && number.isMultiple(of: 2))
        if other { return await others.call(number / 2) }
        let round = number / 60
        switch number % 60 {
        case 0: _ = try? await api.books.get(bookId: "bk-\(round % 100 + 1)")
        case 1..<8: _ = try? await api.books.list(limit: 20)
        case 8..<11: _ = try? await shop.search.books.list(limit: 5, q: "the")
        case 11..<17: _ = try? await api.getHealth()
        case 17..<20: await place(number)
        case 20..<24: await look()
        case 24..<27:
            _ = try? await api.books.update(
                bookId: Self.popular(), .init(subtitle: .value("Edition \(number)")))
        case 27..<29: _ = try? await api.stock.set(bookId: Self.stocked(number), .init(copies: 1_000))
        case 29: await addAndRemove(number)
        case 31 where round.isMultiple(of: 3): await giveUp()
        case 32 where round.isMultiple(of: 4): await store(number)
        default: _ = try? await api.books.get(bookId: Self.popular())
        }
    }

    /// Few books are asked for often.
    private static func popular() -> String { "bk-\(min(Int.random(in: 1...100), Int.random(in: 1...100)))" }

    /// Forty books are ordered. They get new copies before the last one is sold.
    private static func stocked(_ number: Int) -> String { "bk-\(number / 60 % 40 + 1)" }

    private func place(_ number: Int) async {
        let placed = try? await shop.api.orders.place(
            Self.newOrder(number), options: CallOptions(idempotencyKey: "order-\(number)"))
        if let placed { order.withLock { $0 = placed.id } }
    }

    private func look() async {
        guard let id = order.withLock({ $0 }) else { return }
        _ = try? await shop.api.orders.get(orderId: id)
    }

    private func addAndRemove(_ number: Int) async {
        let added = try? await shop.api.books.create(
            .init(
                title: "Number \(number)", authors: [.init(name: "G. Way")], genre: .science,
                price: .init(amount: 990, currency: "EUR")))
        if let added { try? await shop.api.books.delete(bookId: added.id) }
    }

    /// A caller that does not wait for its response.
    private func giveUp() async {
        let call = Task { [api = shop.api] in try await api.books.list(limit: 200) }
        try? await Task.sleep(for: .milliseconds(3))
        call.cancel()
        _ = await call.result
    }

    /// An order that is stored, and sent also after an outage.
    private func store(_ number: Int) async {
        let order = Self.newOrder(number)
        _ = try? await shop.queue.enqueue(
            PreparedCall { [api = shop.api] in try await api.orders.place(order) })
    }

    private static func newOrder(_ number: Int) -> Bookshop.NewOrder {
        Bookshop.NewOrder(
            lines: [.init(bookId: stocked(number), quantity: 1)],
            shipTo: .init(
                name: "A. Reader", street: "1 Main Street", city: "Ghent", postalCode: "9000", country: "BE"))
    }
}
