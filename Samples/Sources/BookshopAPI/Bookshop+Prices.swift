import GatewayClient

// `BookshopClient` and its models are generated from bookshop.openapi.yaml at every build. What is written by hand
// lies beside it, in extensions.

extension Bookshop.Money: CustomStringConvertible {
    /// The amount with two decimals, as most currencies have them.
    public var description: String {
        let cents = amount.magnitude % 100
        return
            "\(amount < 0 ? "-" : "")\(amount.magnitude / 100).\(cents < 10 ? "0" : "")\(cents) \(currency)"
    }
}
