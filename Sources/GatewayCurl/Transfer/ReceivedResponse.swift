import GatewayCore

/// A response as the loop hands it over. The caller makes an ``HTTPResponse`` of it, on his thread: memory that one
/// thread makes and another frees is dear.
struct ReceivedResponse: Sendable {
    let status: Int
    let fields: HTTPFields
    let body: ResponseBody
}
