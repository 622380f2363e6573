/// Holds attempts back while a server limits their rate.
package protocol AttemptGate: AnyObject, Sendable {
    /// Whether attempts may have to wait.
    var isLimiting: Bool { get }

    /// Returns when the turn of an attempt has come.
    ///
    /// - Throws: ``NetworkError`` with the code ``NetworkError/rateLimited`` if the turn comes too late.
    func wait(_ request: HTTPRequest, _ context: RequestContext) async throws(NetworkError)

    /// Called before a released attempt is sent: the gate may have closed while the attempt waited for a connection.
    ///
    /// - Returns: what ``note(_:to:_:sent:)`` needs to know; `nil` if the attempt must wait again.
    func admit(_ request: HTTPRequest, _ context: RequestContext) -> UInt64?

    /// Takes note of the response to an attempt.
    ///
    /// - Parameter sent: what ``admit(_:_:)`` returned.
    func note(_ response: HTTPResponse, to request: HTTPRequest, _ context: RequestContext, sent: UInt64)
}
