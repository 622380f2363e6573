/// The assignment of transfers to pools.
extension CurlLoop {
    /// The maximum number of transfers per pool: the default number of connections per origin, so that one pool usually
    /// suffices.
    static let poolSize = 64

    /// The first pool that is not full, so that later pools become idle first. HTTP/2 uses one pool, because many
    /// transfers share a connection.
    func poolWithRoom() -> CurlPool? {
        if let pool = roomy(below: pools.count) { return pool }
        guard
            let pool = CurlPool(loop: self, index: pools.count, connections: connections(ofPool: pools.count))
        else {
            return nil
        }
        pools.append(pool)
        return pool
    }

    private func roomy(below count: Int) -> CurlPool? {
        let size = settings.speaksHTTP2 ? Int.max : Self.poolSize
        while firstPoolWithRoom < count {
            if pools[firstPoolWithRoom].active < size { return pools[firstPoolWithRoom] }
            firstPoolWithRoom += 1
        }
        return nil
    }

    /// The connections that a pool may have, out of those of the loop. Transfers of a pool never exceed them: a pool is
    /// used when all before it are full.
    private func connections(ofPool index: Int) -> Int {
        guard !settings.speaksHTTP2 else { return settings.connectionsInAll }
        return min(Self.poolSize, max(1, settings.connectionsInAll - index * Self.poolSize))
    }

    /// Called when a pool is no longer full.
    func hasRoom(_ pool: CurlPool) { firstPoolWithRoom = min(firstPoolWithRoom, pool.index) }

    /// Closes the connections of all pools but the first that were idle for the maximum idle time. Why: libcurl closes
    /// old connections only when the pool is used again.
    func closeIdlePools() {
        guard pools.count > 1 else { return }
        for pool in pools.dropFirst() where isWorthless(pool) && pool.idleSince + idleLimit <= now {
            pool.renew(now: now)
            // The pool's handles are no longer needed.
            idleHandles.removeFirst(min(idleHandles.count, Self.poolSize))
        }
    }

    /// When ``closeIdlePools()`` must next be called.
    var idlePoolExpiry: Int64 {
        pools.dropFirst().reduce(LoopClock.never) { isWorthless($1) ? min($0, $1.idleSince + idleLimit) : $0 }
    }

    private func isWorthless(_ pool: CurlPool) -> Bool { pool.isUsed && pool.active == 0 }

    private var idleLimit: Int64 { Int64(settings.idleSeconds) * 1_000_000_000 }
}
