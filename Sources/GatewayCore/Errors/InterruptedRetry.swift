/// A retry that a cancelled call waited for. An equal call that shared its exchange may continue from here.
package final class InterruptedRetry: Sendable {
    /// The result of the last attempt, with the number of all attempts.
    package let result: Result<HTTPResponse, NetworkError>
    /// When the retry was due.
    package let due: ContinuousClock.Instant

    package init(_ result: Result<HTTPResponse, NetworkError>, due: ContinuousClock.Instant) {
        (self.result, self.due) = (result, due)
    }
}
