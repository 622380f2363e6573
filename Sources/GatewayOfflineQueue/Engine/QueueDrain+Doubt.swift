import GatewayCore

/// What stands after a transaction that threw: all of it, or nothing.
extension QueueDrain {
    /// Reads what stands, if a transaction has failed: tells how attempts ended whose end is stored, and gives back entries that
    /// were leased without being known here. What remains is stored by the next transaction. Entries without a ticket are cancelled.
    func readWhatStands() async {
        guard writer.takeDoubt() else { return }
        let (inDoubt, sending, owner, now) = (ended, Set(running.keys), ownership.owner, wallNow)
        var attempts: [QueueEntry.ID: Int] = [:]
        for lease in ready.map(\.lease) + inDoubt.map(\.completion.lease) {
            attempts[lease.id] = max(lease.attempt, attempts[lease.id, default: 0])
        }
        var selection = QueueSelection()
        selection.ids = Set(inDoubt.map(\.completion.lease.id))
        let (known, ofEnds) = (attempts, selection)
        let read = await withStore { [writer] (store) throws(QueueError) in
            try writer.cancelRefused(store)
            let returned = try store.giveBack(of: owner, now: now) { id, attempt in
                sending.contains(id) || known[id] == attempt
            }
            return (returned, try store.entries(ofEnds))
        }
        guard let (returned, entries) = read else { return }
        if !returned.isEmpty { hasNews = true }
        let found = Dictionary(entries.map { ($0.id, $0) }) { first, _ in first }
        let stored = inDoubt.filter { result in
            found[result.completion.lease.id].map { result.completion.stands(in: $0) } ?? false
        }
        let places = Set(stored.map { ObjectIdentifier($0) })
        ended.removeAll { places.contains(ObjectIdentifier($0)) }
        for result in stored { tell(result, isOurs: true) }
        // Others may have ended without an attempt.
        await settleOpenTickets()
    }
}

extension QueueCompletion {
    /// Whether an entry says that this end of the attempt is stored. Nobody else can have ended an attempt of an owner that lives.
    fileprivate func stands(in entry: QueueEntry) -> Bool {
        // One that was not begun is not counted.
        let attempts = wasBegun ? lease.attempt : lease.attempt - 1
        return switch result {
        case .done: entry.attempts == attempts && entry.state == .done
        case .poison: entry.attempts == attempts && entry.state == .poison
        // It may have been leased again.
        case .postponed, .released, .parked:
            entry.attempts > lease.attempt || entry.attempts >= attempts && entry.state != .leased
        }
    }
}
