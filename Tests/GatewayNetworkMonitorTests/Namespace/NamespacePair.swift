import GatewayTesting

/// Two namespaces with a cable between them: `v0` with 10.99.0.1 here, `e0` with 10.99.0.2 there.
struct NamespacePair {
    static let serverAddress: [UInt8] = [10, 99, 0, 2]
    static let serverText = "10.99.0.2"

    let here: NetworkNamespace
    let there: NetworkNamespace

    init() throws {
        (here, there) = (try NetworkNamespace(address: nil), try NetworkNamespace(address: nil))
        try here.batch(["link set p0 netns \(there.name) name e0"])
        try there.batch(
            NetworkNamespace.quickNeighbors(of: "e0")
                + ["link set lo up", "addr add 10.99.0.2/24 dev e0", "link set e0 up"])
        try here.batch(["addr add 10.99.0.1/24 dev v0", "link set v0 up"])
    }
}
