import GatewayCore

/// Determines after a failed transaction whether it was committed.
extension QueueDrain {
    /// Reads the entries after a failed transaction: completes attempts whose end is stored, and returns
    /// leases that are unknown here. Other ends are stored by the next transaction. Entries without a ticket
    /// are cancelled.
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
        // Other entries may have ended without an attempt.
        await settleOpenTickets()
    }
}

extension QueueCompletion {
    /// Whether an entry shows that this end of the attempt is stored. Only the owner can end its attempts
    /// while it is running.
    fileprivate func stands(in entry: QueueEntry) -> Bool {
        // An attempt that did not begin is not counted.
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
