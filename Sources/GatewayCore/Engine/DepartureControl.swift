/// Is asked by a transport before a request is sent that waited for a connection: a rate limit may have begun meanwhile.
///
/// The methods are called on the transport's thread and never wait.
package protocol DepartureControl: AnyObject, Sendable {
    /// Whether a request that waited for a connection may be sent. Otherwise it is given back with
    /// ``NetworkError/Code/heldBack``.
    func mayDepart(_ request: HTTPRequest, context: RequestContext) -> Bool

    /// Takes note of a response, before other requests are sent that wait: the call itself may take a while to run.
    func note(status: Int, fields: HTTPFields, to request: HTTPRequest, context: RequestContext)
}

extension NetworkError.Code {
    /// The request waited for a connection, and may not be sent any more. It never leaves the layer of the
    /// ``DepartureControl``, which sends it again.
    package static let heldBack = Self("held_back", category: .transient)
}
