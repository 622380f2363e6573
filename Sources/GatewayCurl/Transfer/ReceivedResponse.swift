import GatewayCore

/// A response from the loop. The caller converts it to an ``HTTPResponse`` on its own thread. Why: memory that one
/// thread allocates and another one frees is expensive.
struct ReceivedResponse: Sendable {
    let status: Int
    var fields: HTTPFields
    var body: [UInt8]
    /// The connection, if attempts are observed.
    let connection: ConnectionInfo?
    /// The timings until the head of a streamed response, if they are observed.
    var headTimings: HeadTimings?
    /// The content that is not in `body`.
    var rest = Rest.none

    /// Content that is not in memory.
    enum Rest: Sendable {
        case none
        /// It is delivered as it arrives.
        case streamed
        /// It is incomplete, but the head is delivered.
        case failed(NetworkError)
    }
}
