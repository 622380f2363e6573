import GatewayCore

/// A response from the loop. The caller converts it to an ``HTTPResponse`` on its own thread. Why: memory that one
/// thread allocates and another one frees is expensive.
struct ReceivedResponse: Sendable {
    let status: Int
    private(set) var fields: HTTPFields
    private(set) var body: [UInt8]
    /// The connection, if attempts are observed.
    let connection: ConnectionInfo?

    // Moved instead of copied, to avoid reference counting.

    mutating func takeFields() -> HTTPFields {
        var taken = HTTPFields()
        swap(&taken, &fields)
        return taken
    }

    mutating func takeBody() -> ResponseBody {
        var taken: [UInt8] = []
        swap(&taken, &body)
        return .bytes(taken)
    }
}
