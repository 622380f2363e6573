import GatewayCore

/// A response from the loop. The caller converts it to an ``HTTPResponse`` on its own thread. Why: memory that one
/// thread allocates and another one frees is expensive.
struct ReceivedResponse: Sendable {
    let status: Int
    var fields: HTTPFields
    var body: [UInt8]
    /// The connection, if attempts are observed.
    let connection: ConnectionInfo?
    /// What becomes of content that is not in `body`.
    var rest = Rest.none

    /// Content that is not in memory.
    enum Rest: Sendable {
        case none
        /// It is read as it comes.
        case streamed
        /// It did not come as a whole, and the head counts.
        case failed(NetworkError)
    }
}
