import GatewayCore

/// A store of which nothing can be read any more: the directory of its file is gone, or the file has the bytes of something else.
extension QueueDrain {
    /// Notes why the store failed.
    func noteStoreFailure(_ error: QueueError) {
        let isLost = error.code.losesEntries
        if storeFailure == nil || isLost && loss == nil { record(.storeFailed(error.code.name)) }
        if isLost { loss = error }
        let pause = min((storeFailure?.pause ?? .milliseconds(125)) * 2, .seconds(30))
        storeFailure = StoreFailure(code: error.code.name, until: clock.now.adding(pause), pause: pause)
        hasNews = true
        if isLost { publish() }
    }

    /// The store works.
    func endStoreFailure() {
        storeFailure = nil
        guard loss != nil else { return }
        loss = nil
        board.reopenLost()
        // The next check looks what is there of those that somebody waits for.
        foreignVersion = nil
        nextCheck = clock.now
        wakes.yield()
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
