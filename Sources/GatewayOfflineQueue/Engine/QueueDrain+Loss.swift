import GatewayCore

/// A store that fails, and one of which nothing can be read any more: the directory of its file is gone, or the file has the bytes of
/// something else.
extension QueueDrain {
    /// Notes why the store failed.
    func noteStoreFailure(_ error: QueueError) {
        let isLost = error.code.losesEntries
        if storeFailure == nil || isLost && loss == nil { record(.storeFailed(error.code.name)) }
        if isLost { loss = error }
        // What is missing now is missing for this reason.
        if error.code == .changed { damage = nil }
        let pause = min(lastPause * 2, .seconds(30))
        storeFailure = StoreFailure(code: error.code.name, until: clock.now.adding(pause), pause: pause)
        lastFailure = storeFailure
        hasNews = true
        publish()
    }

    /// The last pause, if it is still of interest: a store that can be read may fail again as soon as it is written.
    private var lastPause: Duration {
        let isOver = storeFailure == nil
        guard let lastFailure, !isOver || clock.now < lastFailure.until.adding(lastFailure.pause) else {
            return .milliseconds(125)
        }
        return lastFailure.pause
    }

    /// The store works.
    func endStoreFailure() {
        guard storeFailure != nil else { return }
        storeFailure = nil
        guard loss != nil else { return publish() }
        loss = nil
        publish()
        board.reopenLost()
        // The next check looks what is there of those that somebody waits for.
        foreignVersion = nil
        nextCheck = clock.now
        wakes.yield()
    }

    /// Tells of files that were damaged.
    func note(_ recoveries: [QueueRecovery]) {
        for recovery in recoveries {
            record(.recovered(recovery.recovered))
            guard recovery.lost != 0 else { continue }
            damage = QueueError(
                .corrupt,
                "The file of the queue was damaged: the entry is not among those that could be read.")
        }
    }

    /// Why the store does not know an entry that somebody waits for.
    func whyMissing(_ id: QueueEntry.ID) -> QueueError {
        damage
            ?? QueueError(
                .notFound, "The queue has no entry \(id): its file was changed, or it ended long ago.")
    }

    /// Tells those who wait for entries that nobody can read. What is being sent is told when its attempt has ended.
    func tellLoss() {
        guard let loss else { return }
        for result in ended {
            if let outcome = outcome(of: result) { board.settle(outcome) }
        }
        for id in board.open where running[id] == nil { board.lose(id, loss) }
    }
}
