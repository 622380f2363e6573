/// A sink that removes the stored responses of ended logins.
package protocol EndedLoginRemoving: RequestEventSink {
    /// Whether the responses survive the process.
    var isDurable: Bool { get }

    /// Removes the responses of ended logins in the background, for a limited time. From now on, a wait until responses
    /// are removed includes these.
    func finishEndedLogins(of keeper: any EndedLoginKeeping)

    /// Removes the responses of accounts, and of logins whose end was recorded before. Waits until they are erased.
    ///
    /// - Returns: whether all of them are erased at the deadline. If not, erasing is retried as long as the cache exists.
    func removeResponses(of accounts: EndedAccounts, until deadline: Deadline?) async -> Bool
}

/// What knows logins that have ended and whose responses may be left.
package protocol EndedLoginKeeping: AnyObject, Sendable {
    /// Removes their responses.
    ///
    /// - Returns: whether nothing is left at the deadline; `false` also if the ended logins cannot be known.
    func finishEndedLogins(until deadline: Deadline?) async -> Bool
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
