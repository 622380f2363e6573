import GatewayCore

/// Memory for a response, allocated by the caller on its thread and filled on the loop's thread.
///
/// Why: memory that one thread allocates and another one frees needs locks of the allocator. With one such array per
/// request, the loop and the callers' threads waited for each other in each request.
struct ResponseRoom {
    private var fields = HTTPFields()
    private var body: [UInt8] = []

    /// No memory: it is allocated when necessary.
    init() {}

    /// Allocates memory for a number of fields and content bytes.
    init(fields fieldCount: Int, bytes: Int) {
        fields.reserveCapacity(fieldCount)
        body.reserveCapacity(bytes)
    }

    /// Moves the list for the fields out.
    mutating func takeFields() -> HTTPFields {
        var taken = HTTPFields()
        swap(&taken, &fields)
        return taken
    }

    /// Exchanges the array for the content with another one.
    mutating func swapBody(_ body: inout [UInt8]) { swap(&body, &self.body) }
}
