import GatewayTesting

/// What came of ``RolloverRun``.
struct RolloverReport: Encodable {
    let processes: Int
    let store: String
    let lifetimes: Int
    let lifetimeSeconds: Int
    let seconds: Double
    let requests: Int
    let requestsPerSecond: Double
    let failedCalls: Int
    let failuresByCode: [String: Int]
    let unauthorizedAtServer: Int
    let unauthorizedAtClients: Int
    let tokenRequests: Int
    let tokensGranted: Int
    let refreshesAtClients: Int
    let adopted: Int
    let failedRefreshes: [String: Int]
    /// The shortest and the longest time between two tokens, in parts of a lifetime.
    let shortestGap: Double
    let longestGap: Double
    let longestCallMs: Double
    /// What must not be; empty when all is well.
    let failures: [String]

    init(
        processes: Int, store: String, lifetimes: Int, lifetimeSeconds: Int, seconds: Double,
        outcome: RolloverClient.Outcome, statistics: EmbeddedGateway.Statistics, shortestPart: Double
    ) {
        self.processes = processes
        self.store = store
        self.lifetimes = lifetimes
        self.lifetimeSeconds = lifetimeSeconds
        self.seconds = seconds
        requests = outcome.requests
        requestsPerSecond = seconds > 0 ? Double(outcome.requests) / seconds : 0
        failuresByCode = outcome.failures
        failedCalls = outcome.failures.values.reduce(0, +)
        unauthorizedAtServer = statistics.unauthorized
        unauthorizedAtClients = outcome.unauthorized
        tokenRequests = statistics.tokenRequestCount
        tokensGranted = statistics.tokensGranted
        refreshesAtClients = outcome.refreshes.count
        adopted = outcome.adopted
        failedRefreshes = outcome.refreshFailures
        longestCallMs = outcome.longestMilliseconds
        let instants = outcome.refreshes.sorted()
        let gaps = zip(instants.dropFirst(), instants).map { ($0 - $1) / Double(lifetimeSeconds) }
        shortestGap = gaps.min() ?? 0
        longestGap = gaps.max() ?? 0

        var failures: [String] = []
        func expect(_ isSo: Bool, _ text: String) { if !isSo { failures.append(text) } }
        expect(requests > 0, "no call was made")
        expect(failedCalls == 0, "\(failedCalls) calls failed: \(Self.list(outcome.failures))")
        expect(unauthorizedAtServer == 0, "the server answered 401 \(unauthorizedAtServer) times")
        expect(unauthorizedAtClients == 0, "the clients saw \(unauthorizedAtClients) 401s")
        expect(failedRefreshes.isEmpty, "refreshes failed: \(Self.list(failedRefreshes))")
        expect(
            tokenRequests == lifetimes + 1,
            "\(tokenRequests) token requests for the first token and \(lifetimes) that follow")
        expect(
            tokensGranted == tokenRequests && refreshesAtClients == tokenRequests,
            "\(tokenRequests) token requests, \(tokensGranted) grants, \(refreshesAtClients) received")
        // A machine that stops for a while records the arrival of a token that much later.
        let pause = outcome.longestMilliseconds / 1000 / Double(lifetimeSeconds)
        expect(
            shortestGap + pause >= shortestPart && longestGap <= 1,
            "the tokens followed one another after \(Self.number(shortestGap)) to \(Self.number(longestGap)) lifetimes"
        )
        self.failures = failures
    }

    /// A line that begins with `smooth:` or `BROKEN:`, and one for each thing that must not be.
    var lines: String {
        let who = processes == 1 ? "1 process" : "\(processes) processes"
        let verdict = """
            \(failures.isEmpty ? "smooth" : "BROKEN"): \(who), store \(store): \(requests) calls, \
            \(Int(requestsPerSecond)) a second, over \(lifetimes) lifetimes of \(lifetimeSeconds) s; \
            \(failedCalls) failed, 401s \(unauthorizedAtServer) at the server and \(unauthorizedAtClients) at the \
            clients, \(tokenRequests) token requests, \(adopted) adopted, a token every \
            \(Self.number(shortestGap)) to \(Self.number(longestGap)) lifetimes, longest call \
            \(Int(longestCallMs)) ms
            """
        return ([verdict] + failures.map { "  " + $0 }).joined(separator: "\n")
    }

    private static func list(_ counts: [String: Int]) -> String {
        counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }

    private static func number(_ value: Double) -> String { value.fixed(2) }
}
