import GatewayCore

/// Memory for a response, made by the caller on its thread and filled on the loop's.
///
/// What one thread makes and another frees goes through the allocator's locks: with one such array a request, the
/// loop waited for the callers' threads, and they for it, once in each request.
struct ResponseRoom {
    private var fields = HTTPFields()
    private var body: [UInt8] = []

    /// No room: what comes makes its own.
    init() {}

    /// Room for so many fields and bytes of content.
    init(fields fieldCount: Int, bytes: Int) {
        fields.reserveCapacity(fieldCount)
        body.reserveCapacity(bytes)
    }

    /// Gives the room for fields away.
    mutating func takeFields() -> HTTPFields {
        var taken = HTTPFields()
        swap(&taken, &fields)
        return taken
    }

    /// Exchanges the room for content with an array.
    mutating func swapBody(_ body: inout [UInt8]) { swap(&body, &self.body) }
}
