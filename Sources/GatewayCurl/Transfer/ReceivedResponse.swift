import GatewayCore

/// A response as the loop hands it over. The caller makes an ``HTTPResponse`` of it, on its own thread: memory that one
/// thread allocates and another one frees is expensive.
struct ReceivedResponse: Sendable {
    let status: Int
    private(set) var fields: HTTPFields
    private(set) var body: [UInt8]
    /// The connection, if attempts are observed.
    let connection: ConnectionInfo?

    // Moved instead of copied, so that no references are counted.

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
