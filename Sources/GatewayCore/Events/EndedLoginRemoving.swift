/// A sink that removes the stored responses of logins that have ended.
package protocol EndedLoginRemoving: RequestEventSink {
    /// Whether the responses outlive the process.
    var isDurable: Bool { get }

    /// Removes the responses of accounts, and waits for a limited time until no byte of them is left, nor of those of logins whose
    /// end was recorded before.
    ///
    /// - Returns: whether none is left. Otherwise it is still tried for as long as the cache lives.
    func removeResponses(of accounts: [String]) async -> Bool
}
