import GatewayClient
import GatewayTesting

/// Calls by hand of operations that are not in the document, for a page with many rows.
struct OtherOperations: Sendable {
    private static let verbs: [(name: String, method: HTTPMethod)] = [
        ("list", .get), ("get", .get), ("create", .post), ("update", .put), ("patch", .patch),
        ("delete", .delete),
        ("archive", .post), ("restore", .post), ("export", .get), ("count", .get),
    ]
    private static let nouns = [
        "Invoices", "Refunds", "Customers", "Suppliers", "Shipments", "Returns", "Vouchers", "Reviews",
        "Authors",
        "Publishers", "Warehouses", "Employees", "Prices", "Campaigns", "Subscriptions", "Notifications",
        "AuditEntries", "Currencies", "TaxRates", "Branches",
    ]
    /// As many operations as there can be.
    static let limit = verbs.count * nouns.count

    /// The number of operations.
    let count: Int
    private let engine: GatewayEngine
    private let url: String

    init(_ shop: Shop, count: Int) {
        self.count = count
        engine = shop.engine
        url = "\(shop.gateway.apiURL)/office"
        guard count > 0 else { return }
        shop.gateway.route(nil, shop.path("/office/{collection}/{id}")) { _ in .json(["ok": true]) }
    }

    /// Calls one of them: the first ones more often than the last ones.
    func call(_ number: Int) async {
        let index =
            number % 3 == 0
            ? number / 3 % count : min(Int.random(in: 0..<count), Int.random(in: 0..<count))
        let (verb, noun) = (Self.verbs[index % Self.verbs.count], Self.nouns[index / Self.verbs.count])
        let operation = Operation(
            runtimeID: verb.name + noun, method: verb.method, template: "/office/\(noun.lowercased())/{id}")
        guard
            let request = try? HTTPRequest(verb.method, "\(url)/\(noun.lowercased())/\(number)")
        else { return }
        _ = try? await engine.send(request, operation: operation)
    }
}
