import GatewayTesting

/// What is known of a namespace that a test changes, apart from what the kernel says.
struct NamespaceModel {
    private(set) var isUp = true
    private(set) var isPeerUp = true
    private(set) var addresses: Set<Int> = [1]
    private(set) var hasDefaultRoute = false

    /// How many addresses and default routes connections can depend on.
    var lifelineCount: Int { isOnline ? addresses.count + (hasDefaultRoute ? 1 : 0) : 0 }

    var isOnline: Bool { isUp && isPeerUp && (!addresses.isEmpty || hasDefaultRoute) }

    /// A change that is possible now: the command of `ip`, and the transition that must follow, if any.
    mutating func change(_ random: SeededRandomSource) -> (command: [String], transition: String?) {
        while true {
            let before = self
            guard let command = tryChange(random) else { continue }
            if before.isOnline != isOnline { return (command, isOnline ? "online" : "offline") }
            guard isOnline else { return (command, nil) }
            let hasLost =
                !before.addresses.isSubset(of: addresses) || before.hasDefaultRoute && !hasDefaultRoute
            return (command, hasLost ? "moved" : nil)
        }
    }

    private mutating func tryChange(_ random: SeededRandomSource) -> [String]? {
        switch random.int(in: 0..<6) {
        case 0:
            isUp.toggle()
            // The kernel removes the routes of an interface that is set down.
            if !isUp { hasDefaultRoute = false }
            return ["link", "set", "v0", isUp ? "up" : "down"]
        case 1:
            isPeerUp.toggle()
            return ["link", "set", "p0", isPeerUp ? "up" : "down"]
        case 2:
            guard isUp, !addresses.isEmpty else { return nil }
            hasDefaultRoute.toggle()
            return ["route", hasDefaultRoute ? "add" : "del", "default", "dev", "v0"]
        default:
            let number = random.int(in: 1..<4)
            let isNew = addresses.insert(number).inserted
            if !isNew { addresses.remove(number) }
            // So it does when the last address goes.
            if addresses.isEmpty { hasDefaultRoute = false }
            return ["addr", isNew ? "add" : "del", "10.99.\(number).1/24", "dev", "v0"]
        }
    }
}
