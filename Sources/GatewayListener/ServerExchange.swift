internal import CLibmicrohttpd
internal import GatewayCore

/// One request in the server.
///
/// `@unchecked`: its fields are used only on the thread of the connection. While the request is suspended, only
/// ``Suspensions`` uses them, and the lock of the queue orders the accesses.
@safe final class ServerExchange: @unchecked Sendable {
    /// Valid until the end of the request.
    let connection: OpaquePointer
    /// The queue of the loop that serves the connection.
    let queue: LoopQueue
    let target: String
    private var method = ""
    private var fields = HTTPFields()
    private var body: [UInt8] = []
    private(set) var hasFields = false
    private(set) var isTooLarge = false
    /// Whether its response is streamed.
    var isStream = false
    /// How a suspended request continues.
    enum Continuation: Sendable {
        case disposition(@Sendable () -> HTTPListener.Disposition)
        /// The next frame of a streamed response; `nil` for its end.
        case frame([UInt8]?)
        case stopped
    }
    /// Set by each resumption, for the next call of libmicrohttpd.
    var continuation: Continuation?

    init(connection: OpaquePointer, queue: LoopQueue, target: String) {
        unsafe self.connection = unsafe connection
        self.queue = queue
        self.target = target
    }

    /// Reads the header of the request.
    func readFields(method: UnsafePointer<CChar>?) {
        hasFields = true
        if let method = unsafe method { self.method = unsafe String(cString: method) }
        unsafe gateway_mhd_fields(connection, Unmanaged.passUnretained(self).toOpaque()) {
            context, name, nameSize, value, valueSize in
            guard let context = unsafe context, let name = unsafe name else { return }
            let exchange = unsafe Unmanaged<ServerExchange>.fromOpaque(context).takeUnretainedValue()
            exchange.fields.append(
                HTTPField.Name(unsafe ServerExchange.text(name, nameSize)),
                unsafe ServerExchange.text(value, valueSize))
        }
    }

    private static func text(_ start: UnsafePointer<CChar>?, _ size: Int) -> String {
        unsafe start.map { start in
            unsafe start.withMemoryRebound(to: UInt8.self, capacity: size) { bytes in
                unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: size), as: UTF8.self)
            }
        } ?? ""
    }

    /// Appends a part of the content up to a limit. Content beyond the limit is read and discarded.
    func append(_ start: UnsafePointer<CChar>, _ size: Int, limit: Int) {
        guard !isTooLarge, size <= limit - body.count else {
            isTooLarge = true
            body = []
            return
        }
        unsafe start.withMemoryRebound(to: UInt8.self, capacity: size) { bytes in
            unsafe body.append(contentsOf: UnsafeBufferPointer(start: bytes, count: size))
        }
    }

    /// Whether the header says that content follows, which may be empty if its length is not announced.
    var announcesContent: Bool {
        !fields.values(for: "Transfer-Encoding").isEmpty
            || !fields.values(for: "Content-Length").allSatisfy { $0 == "0" }
    }

    /// The continuation, which is used once.
    func takeContinuation() -> Continuation? {
        defer { continuation = nil }
        return continuation
    }

    /// The complete request.
    func request() -> HTTPListener.Request {
        HTTPListener.Request(
            method: HTTPMethod(method), target: target, fields: fields, body: body,
            connection: connectionID)
    }

    /// The number of the connection.
    var connectionID: UInt64 { UInt64(unsafe gateway_mhd_connection_identifier(connection)) }

    /// Queues a response.
    ///
    /// - Parameter sent: the number of content bytes to send before the connection is closed; `nil` for all.
    /// - Returns: whether libmicrohttpd accepted it.
    func queue(_ reply: HTTPListener.Reply, sending sent: Int? = nil) -> Bool {
        let sent = sent.map { max(0, $0) }
        let response = unsafe reply.body.withUnsafeBytes { bytes in
            if let sent {
                // At least one announced byte must be missing, otherwise the response would be complete.
                unsafe gateway_mhd_torn_response(
                    bytes.baseAddress, min(sent, bytes.count),
                    UInt64(max(bytes.count, sent.addingClamped(1))))
            } else {
                unsafe gateway_mhd_response(bytes.baseAddress, bytes.count)
            }
        }
        return unsafe queue(reply, response)
    }

    /// Queues a response whose content is streamed.
    func queue(_ reply: HTTPListener.Reply, _ stream: FrameStream) -> Bool {
        // libmicrohttpd 0.9.75 ends the chunks of a response to HEAD, which has none.
        guard method != "HEAD" else {
            return queue(HTTPListener.Reply(status: reply.status, fields: reply.fields))
        }
        return unsafe queue(reply, stream.response())
    }

    private func queue(_ reply: HTTPListener.Reply, _ response: OpaquePointer?) -> Bool {
        guard let response = unsafe response else { return false }
        defer { unsafe MHD_destroy_response(response) }
        for field in reply.fields {
            _ = unsafe gateway_mhd_add_field(response, field.name.rawName, field.value)
        }
        return unsafe gateway_mhd_reply(connection, UInt32(clamping: reply.status), response) != 0
    }
}
