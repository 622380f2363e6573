/// Which pool carries which transfer.
extension CurlLoop {
    /// How many transfers a pool carries: as many as one origin has connections by default, so that what is usual has
    /// one pool.
    static let poolSize = 64

    /// The first pool with room: those behind it run empty first. HTTP/2 has one pool, since there many transfers share
    /// one connection.
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

    /// What is left of the connections in all.
    private func connections(ofPool index: Int) -> Int {
        guard !settings.speaksHTTP2 else { return settings.connectionsInAll }
        return min(Self.poolSize, max(1, settings.connectionsInAll - index * Self.poolSize))
    }

    /// A pool has room again.
    func hasRoom(_ pool: CurlPool) { firstPoolWithRoom = min(firstPoolWithRoom, pool.index) }

    /// Closes the connections of pools behind the first that have carried nothing for as long as connections may rest:
    /// libcurl looks after them only when the pool is used, and it may never be again.
    func closeIdlePools() {
        guard pools.count > 1 else { return }
        for pool in pools.dropFirst() where isWorthless(pool) && pool.idleSince + idleLimit <= now {
            pool.renew(now: now)
            // As many handles were needed for it, and are no longer.
            idleHandles.removeFirst(min(idleHandles.count, Self.poolSize))
        }
    }

    /// When ``closeIdlePools()`` has something to do.
    var idlePoolExpiry: Int64 {
        pools.dropFirst().reduce(LoopClock.never) { isWorthless($1) ? min($0, $1.idleSince + idleLimit) : $0 }
    }

    private func isWorthless(_ pool: CurlPool) -> Bool { pool.isUsed && pool.active == 0 }

    private var idleLimit: Int64 { Int64(settings.idleSeconds) * 1_000_000_000 }
}
