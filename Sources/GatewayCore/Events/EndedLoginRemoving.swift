/// A sink that removes the stored responses of ended logins.
package protocol EndedLoginRemoving: RequestEventSink {
    /// Whether the responses survive the process.
    var isDurable: Bool { get }

    /// Removes the responses of accounts, and of logins whose end was recorded before. Waits for a limited time until
    /// they are erased.
    ///
    /// - Returns: whether all of them are erased. If not, erasing is retried as long as the cache exists.
    func removeResponses(of accounts: EndedAccounts) async -> Bool
}

/// The accounts of logins that have ended.
package struct EndedAccounts: Sendable, Equatable {
    /// Those that are known.
    package let names: [String]
    /// Whether there are others, which are not known: all responses may be theirs.
    package let hasOthers: Bool

    package init(_ names: [String], hasOthers: Bool = false) {
        self.names = names
        self.hasOthers = hasOthers
    }
}
