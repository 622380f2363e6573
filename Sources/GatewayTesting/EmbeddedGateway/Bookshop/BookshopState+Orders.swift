import GatewayJSON

extension BookshopState {
    /// The operation `getOrder`.
    func order(_ id: String) -> EmbeddedGateway.Reply {
        orders[id].map { .json($0) }
            ?? .problem(404, "There is no such order.", ["type": "/problems/not-found"])
    }

    /// The operation `setStock`.
    mutating func setStock(_ id: String, _ body: [String: JSONValue]) -> EmbeddedGateway.Reply {
        guard find(id) != nil else { return Self.noBook(id) }
        guard let copies = body["copies"]?.int, copies >= 0 else {
            return InvalidRequest("/copies", "must be an integer from 0").reply
        }
        update(id) { $0.copies = copies }
        return .json(.object(body.filter { $0.key == "copies" || $0.key == "shelf" }))
    }

    /// The operation `placeOrder`: removes the copies from the stock and computes the price.
    mutating func placeOrder(_ creation: Creation) -> EmbeddedGateway.Reply {
        var invalid = InvalidRequest()
        checkAddress(creation.body["shipTo"], &invalid)
        let lines = checkedLines(creation.body["lines"], &invalid)
        let currencies = Set(lines.map(\.currency))
        invalid.require(currencies.count <= 1, "/lines", "must be of one currency")
        guard invalid.isEmpty, let currency = currencies.first else { return invalid.reply }

        var wanted: [String: Int] = [:]
        for line in lines { wanted[line.bookID, default: 0] += line.quantity }
        for (id, quantity) in wanted.sorted(by: { $0.key < $1.key }) where (find(id)?.copies ?? 0) < quantity
        {
            return .problem(409, "There are not enough copies.", ["conflictingId": .string(id)])
        }
        for (id, quantity) in wanted { update(id) { $0.copies -= quantity } }

        var order = creation.body.filter { ["shipTo", "metadata"].contains($0.key) }
        order["id"] = .string(creation.id)
        order["status"] = "placed"
        order["placedAt"] = .string(creation.now)
        order["lines"] = .array(lines.map(\.json))
        order["total"] = [
            "amount": .number(JSONNumber(lines.reduce(0) { $0 + $1.amount * $1.quantity })),
            "currency": .string(currency),
        ]
        orders[creation.id] = .object(order)
        return .json(.object(order), status: 201)
    }

    private struct Line {
        let bookID: String
        let quantity: Int
        let amount: Int
        let currency: String

        var json: JSONValue {
            [
                "bookId": .string(bookID), "quantity": .number(JSONNumber(quantity)),
                "unitPrice": ["amount": .number(JSONNumber(amount)), "currency": .string(currency)],
            ]
        }
    }

    private func checkedLines(_ value: JSONValue?, _ invalid: inout InvalidRequest) -> [Line] {
        guard let lines = value?.array, (1...1000).contains(lines.count) else {
            invalid.add("/lines", "must have 1 to 1000 elements")
            return []
        }
        return lines.enumerated().compactMap { index, line in
            let quantity = line["quantity"]?.int ?? 0
            // With these limits no sum can overflow.
            invalid.require(
                (1...1_000_000).contains(quantity), "/lines/\(index)/quantity", "must be from 1 to 1000000")
            guard let id = line["bookId"]?.string, let price = find(id)?.members["price"],
                let amount = price["amount"]?.int, (-1_000_000_000...1_000_000_000).contains(amount),
                let currency = price["currency"]?.string
            else {
                invalid.add("/lines/\(index)/bookId", "is no book of ours")
                return nil
            }
            return Line(bookID: id, quantity: quantity, amount: amount, currency: currency)
        }
    }

    private func checkAddress(_ value: JSONValue?, _ invalid: inout InvalidRequest) {
        guard let value else { return invalid.add("/shipTo", "is missing") }
        for name in ["name", "street", "city", "postalCode", "country"] {
            invalid.require(value[name]?.string?.isEmpty == false, "/shipTo/" + name, "is missing")
        }
    }
}
