extension HTTPListener {
    /// The next action of the listener for a request.
    package enum Disposition: Sendable {
        /// Send a response.
        case reply(Reply)
        /// Send a response, then one frame after the other until `next` returns `nil`.
        ///
        /// `next` is called when the frame before has been handed to the system, so a client that reads slowly gets
        /// fewer frames, and no frames accumulate. No thread is blocked while it is suspended. A client that has
        /// disconnected is noticed at the next frame. The task is cancelled when the listener stops.
        case stream(Reply, next: @Sendable () async -> [UInt8]?)
        /// Announce the whole content, send this number of bytes of it and close the connection.
        case torn(Reply, afterBytes: Int)
        /// Close the connection without a response, optionally with a reset (RST).
        case close(reset: Bool)
        /// Suspend the request without blocking a thread. The owner of the ``Resumption`` continues it later.
        case wait(@Sendable (Resumption) -> Void)
    }
}
