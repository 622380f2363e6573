import GatewayCore
import GatewayTesting

extension TokenProcessScenarios {
    /// A process is stopped (SIGSTOP) while its request is under way; in real time, for longer than a lock lasts by itself
    /// and longer than the request may take. Nobody else sends the refresh token, and the answer that came meanwhile is
    /// used.
    public func stoppedHolder() async throws -> [String] {
        let gateway = try gateway()
        defer { gateway.shutdown() }
        let token = try gateway.signIn().refreshToken.exposed
        let limits = isRealTime ? (refresh: 1000, exchange: 2800, patience: 60_000) : Self.longLimits
        let holder = try probe(gateway, token, limits: limits)
        let others = [try probe(gateway, token, limits: limits), try probe(gateway, token)]
        for probe in [holder] + others { _ = await probe.line("ready") }
        let hold = gateway.hold(.token)
        holder.tell("token")
        await hold.waitForArrivals(1)
        var failures: [String] = []
        if let lock {
            let left = try await lock.timeLeft() ?? .zero
            failures += check(left > lock.lifetime, "the lock ends in \(left), before the request does")
        }
        others[0].tell("token")
        _ = await others[0].line("locking")
        holder.setStopped(true)
        hold.release()
        let tried = await others[1].ask(tryLock, "locked", "error ")
        failures += check(
            tried == "error token_store_failed", "a stopped process lost its lock: \(tried ?? "died")")
        holder.setStopped(false)
        let used = await holder.line("token ", "error ") ?? "died"
        failures += check(used.hasPrefix("token "), "the answer that came meanwhile is lost: \(used)")
        let shared = await others[0].line("token ", "error ") ?? "died"
        failures += check(shared == used, "another process gets \(shared), the stopped one \(used)")
        let count = gateway.statistics.tokenRequestCount
        failures += check(count == 1, "\(count) requests beside a stopped process")
        for probe in [holder] + others { await probe.kill() }
        return failures
    }
}
