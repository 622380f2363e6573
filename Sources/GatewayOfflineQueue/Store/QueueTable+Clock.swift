import GatewayCore
import GatewaySQLite

extension QueueTable {
    /// Lowers the newest time, and moves later times of entries back.
    func lowerNewest(to time: QueueTime) throws(SQLiteError) {
        var meta = try meta()
        guard meta.newest > time else { return }
        let distance = meta.newest.since(time)
        meta.newest = time
        meta.runs = meta.runs.map { $0.movedBack(to: time, by: distance) }
        set(meta)
        let back = SQLiteValue.integer(distance.wholeMilliseconds)
        let limit = SQLiteValue.integer(time.milliseconds)
        try connection.run(
            "UPDATE entry SET notBefore = notBefore - ? WHERE state = 1 AND changed > ?", back, limit)
        try connection.run(
            "UPDATE entry SET stored = stored - ?, expires = expires - ? WHERE state < 6 AND stored > ?",
            back, back, limit)
        try connection.run(
            """
            UPDATE entry SET firstSent = firstSent - ?, repeatEnd = repeatEnd - ?
            WHERE state < 6 AND firstSent > ?
            """, back, back, limit)
        try connection.run("UPDATE entry SET changed = ? WHERE changed > ?", limit, limit)
    }
}
