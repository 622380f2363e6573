internal import CLibmicrohttpd

/// The content of a streamed response.
///
/// `@unchecked`: its fields are used only on the thread of the connection.
@safe final class FrameStream: @unchecked Sendable {
    private let exchange: ServerExchange
    private let suspensions: Suspensions
    private let next: @Sendable () async -> [UInt8]?
    /// The part of the current frame that has not been sent.
    private var frame: ArraySlice<UInt8>

    init(
        _ exchange: ServerExchange, _ suspensions: Suspensions, first: [UInt8],
        next: @escaping @Sendable () async -> [UInt8]?
    ) {
        self.exchange = exchange
        self.suspensions = suspensions
        frame = first[...]
        self.next = next
    }

    /// A response of libmicrohttpd that reads the stream, and releases it at its end.
    func response() -> OpaquePointer? {
        let context = unsafe Unmanaged.passRetained(self)
        let response = unsafe gateway_mhd_stream_response(
            { context, _, buffer, room in
                guard let context = unsafe context, let buffer = unsafe buffer else {
                    return gateway_mhd_stream_broken
                }
                let stream = unsafe Unmanaged<FrameStream>.fromOpaque(context).takeUnretainedValue()
                return unsafe stream.read(
                    into: UnsafeMutableRawBufferPointer(start: UnsafeMutableRawPointer(buffer), count: room))
            },
            { context in
                if let context = unsafe context {
                    unsafe Unmanaged<FrameStream>.fromOpaque(context).release()
                }
            }, context.toOpaque())
        if unsafe response == nil { unsafe context.release() }
        return unsafe response
    }

    /// Copies the next part of the current frame, or suspends the connection until there is another frame.
    ///
    /// - Returns: the number of bytes, 0 while suspended, or how the response ends.
    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        if frame.isEmpty {
            switch exchange.takeContinuation() {
            case .frame(let frame?): self.frame = frame[...]
            case .frame(nil): return gateway_mhd_stream_ended
            case .disposition, .stopped: return gateway_mhd_stream_broken
            case nil: break
            }
        }
        guard frame.isEmpty else {
            let part = frame.prefix(buffer.count)
            unsafe buffer.copyBytes(from: part)
            frame = frame.dropFirst(part.count)
            return part.count
        }
        guard let resumption = suspensions.suspend(exchange) else { return gateway_mhd_stream_broken }
        let next = next
        resumption.cancelAtStop(Task { resumption.resume(frame: await next()) })
        return 0
    }
}
