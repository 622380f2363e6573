import GatewayCore

/// A response as the loop hands it over. The caller makes an ``HTTPResponse`` of it, on its own thread: memory that one
/// thread allocates and another one frees is expensive.
struct ReceivedResponse: Sendable {
    let status: Int
    let fields: HTTPFields
    let body: ResponseBody
    /// The connection, if attempts are observed.
    let connection: ConnectionInfo?
}
