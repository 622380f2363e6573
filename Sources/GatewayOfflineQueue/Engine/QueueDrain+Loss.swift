import GatewayCore

/// Handles a failing store, and a store that is no longer readable: the directory of its file was removed,
/// or the file contains other data.
extension QueueDrain {
    /// Records the error of the store.
    func noteStoreFailure(_ error: QueueError) {
        let isLost = error.code.losesEntries
        if storeFailure == nil || isLost && loss == nil { record(.storeFailed(error.code.name)) }
        if isLost { loss = error }
        // Entries that are missing now are missing for this reason.
        if error.code == .changed { damage = nil }
        let pause = min(lastPause * 2, .seconds(30))
        storeFailure = StoreFailure(code: error.code.name, until: clock.now.adding(pause), pause: pause)
        lastFailure = storeFailure
        hasNews = true
        publish()
    }

    /// The last pause, if it is still relevant: a store that can be read may fail again when it is written.
    private var lastPause: Duration {
        let isOver = storeFailure == nil
        guard let lastFailure, !isOver || clock.now < lastFailure.until.adding(lastFailure.pause) else {
            return .milliseconds(125)
        }
        return lastFailure.pause
    }

    /// Records that the store works.
    func endStoreFailure() {
        guard storeFailure != nil else { return }
        storeFailure = nil
        guard loss != nil else { return publish() }
        loss = nil
        publish()
        board.reopenLost()
        // The next check reads the entries of open tickets.
        foreignVersion = nil
        nextCheck = clock.now
        wakes.yield()
    }

    /// Reports recoveries of damaged files.
    func note(_ recoveries: [QueueRecovery]) {
        for recovery in recoveries {
            record(.recovered(recovery.recovered))
            guard recovery.lost != 0 else { continue }
            damage = QueueError(
                .corrupt,
                "The file of the queue was damaged: the entry is not among those that could be read.")
        }
    }

    /// The error for a ticket whose entry is missing in the store.
    func whyMissing(_ id: QueueEntry.ID) -> QueueError {
        damage
            ?? QueueError(
                .notFound, "The queue has no entry \(id): its file was changed, or it ended long ago.")
    }

    /// Fails the tickets of entries that are no longer readable. Tickets of entries that are being sent are
    /// completed when their attempt has ended.
    func tellLoss() {
        guard let loss else { return }
        for result in ended {
            if let outcome = outcome(of: result) { board.settle(outcome) }
        }
        for id in board.open where running[id] == nil { board.lose(id, loss) }
    }
}
