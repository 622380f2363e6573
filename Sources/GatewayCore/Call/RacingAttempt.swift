/// One of several attempts of a call at the same time: the first that brings a response wins.
@usableFromInline
package protocol RacingAttempt: AnyObject, Sendable {
    /// Called when the attempt is about to be passed to the transport.
    ///
    /// - Returns: whether it may be: the call may have its response already.
    func begin() -> Bool

    /// Whether the call continues without the attempt, because another attempt has the response.
    var isAbandoned: Bool { get }
}

extension RequestContext {
    /// The attempt, if it is one of several at the same time.
    package var racing: (any RacingAttempt)? {
        get { values.value.racing }
        set { values.value.racing = newValue }
    }

    /// Whether the call continues without the attempt. Its exchange is completed so that its connection is kept. The
    /// attempt's limits apply to it, but not the deadline of the call, and the transport need not read a long body.
    package var isAbandoned: Bool { racing?.isAbandoned ?? false }
}
