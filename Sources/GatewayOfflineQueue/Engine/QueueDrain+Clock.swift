import GatewayCore

/// The newest time of the store.
extension QueueDrain {
    /// Records the newest time of earlier processes.
    func noteNewest(_ newest: QueueTime?) { clockWatch.noteKnown(newest) }

    /// Records the `Date` of a response.
    func noteDate(of result: QueueSender.Result) {
        // A stored response has the date of its original exchange.
        guard result.completion.lease.item.origin.scheme == .https, let response = result.response,
            response.exchange.source == .network, let text = response.fields[.date],
            let seconds = HTTPDate.parse(text, unixTime: configuration.clock.unixTime)
        else { return }
        let (milliseconds, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000)
        guard !isTooLarge else { return }
        clockWatch.noteDate(QueueTime(milliseconds: milliseconds), at: clock.now)
    }

    /// Records that the clock is behind the newest time. Postponed entries may then be due earlier, which
    /// the next lease determines.
    func noteClock(_ newest: QueueTime?) {
        guard let newest, wallNow < newest else { return }
        clockDue = newest
        hasNews = true
    }

    /// Lowers the newest time if it is later than the clock can have been.
    func lowerNewest(_ outlook: QueueOutlook) async {
        guard let newest = outlook.newest,
            let limit = clockWatch.limit(of: newest, wall: wallNow, at: clock.now)
        else { return }
        let isLowered = await withStore { (store) throws(QueueError) in
            try store.lowerNewest(to: limit)
            return true
        }
        // Entries that were held back can be sent.
        if isLowered != nil { hasNews = true }
    }
}
