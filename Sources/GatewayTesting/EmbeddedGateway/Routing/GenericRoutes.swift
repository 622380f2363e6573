import GatewayCore

/// Routes for tests of transports. They require no token.
enum GenericRoutes {
    /// The maximum number of bytes of `/bytes/{count}`.
    private static let largestContent = 64 << 20

    static func add(to routes: inout RouteTable) {
        // Returns the content of the request, and data of the request line in header fields.
        routes.add(
            nil, "/echo", access: .open,
            .immediate { request in
                var fields: HTTPFields = [
                    .contentType: request.fields[.contentType] ?? "application/octet-stream",
                    "X-Echo-Method": request.method.rawValue,
                ]
                if let key = request.fields[.idempotencyKey] { fields["X-Echo-Idempotency-Key"] = key }
                return EmbeddedGateway.Reply(fields: fields, body: request.body)
            })
        routes.add(
            nil, "/status/{status}", access: .open,
            .immediate { request in
                guard let status = request.parameters["status"].flatMap({ Int($0) }),
                    (200...599).contains(status)
                else { return .text("A status from 200 to 599 is needed.\n", status: 400) }
                return .status(status)
            })
        routes.add(
            .get, "/bytes/{count}", access: .open,
            .immediate { request in
                guard let count = request.parameters["count"].flatMap({ Int($0) }),
                    (0...largestContent).contains(count)
                else { return .text("A count from 0 to \(largestContent) is needed.\n", status: 400) }
                return EmbeddedGateway.Reply(
                    fields: [.contentType: "application/octet-stream"], body: content(count))
            })
    }

    /// Bytes that differ from their neighbours, so that a missing part is detected.
    static func content(_ count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
            for index in 0..<count {
                unsafe bytes[index] = UInt8(truncatingIfNeeded: index &* 31 &+ index >> 8)
            }
            initialized = count
        }
    }
}
