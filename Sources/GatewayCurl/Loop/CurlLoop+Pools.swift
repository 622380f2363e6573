/// Which pool carries which transfer.
extension CurlLoop {
    /// How many transfers a pool carries: as many as one origin has connections by default, so that what is usual has
    /// one pool.
    static let poolSize = 64

    /// The first pool with room: those behind it run empty first. HTTP/2 has one pool, since there many transfers share
    /// one connection.
    func poolWithRoom() -> CurlPool? {
        if let last = fullBelow(pools.count) { return last }
        guard let pool = CurlPool(loop: self, index: pools.count, connections: connectionsPerPool) else {
            return nil
        }
        pools.append(pool)
        return pool
    }

    private func fullBelow(_ count: Int) -> CurlPool? {
        let size = settings.speaksHTTP2 ? Int.max : Self.poolSize
        while firstPoolWithRoom < count {
            if pools[firstPoolWithRoom].active < size { return pools[firstPoolWithRoom] }
            firstPoolWithRoom += 1
        }
        return nil
    }

    private var connectionsPerPool: Int {
        settings.speaksHTTP2 ? settings.connectionsInAll : min(settings.connectionsInAll, Self.poolSize)
    }

    /// A pool has room again.
    func hasRoom(_ pool: CurlPool) { firstPoolWithRoom = min(firstPoolWithRoom, pool.index) }

    /// Pools behind the first that have carried nothing for as long as connections may rest: nobody would close theirs.
    func closeIdlePools() {
        while pools.count > 1, let last = pools.last, last.active == 0, last.idleSince + idleLimit <= now {
            last.close()
            pools.removeLast()
        }
    }

    /// When ``closeIdlePools()`` has something to do.
    var idlePoolExpiry: Int64 {
        guard pools.count > 1, let last = pools.last, last.active == 0 else { return LoopClock.never }
        return last.idleSince + idleLimit
    }

    private var idleLimit: Int64 { Int64(settings.idleSeconds) * 1_000_000_000 }
}
