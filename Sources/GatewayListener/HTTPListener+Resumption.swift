extension HTTPListener {
    /// Continues a suspended request. Only the first call has an effect, and none after the listener has stopped.
    package struct Resumption: Sendable {
        let suspensions: Suspensions
        let id: UInt64

        /// Continues with the result of the function, which runs on the listener's thread.
        package func resume(_ next: @escaping @Sendable () -> Disposition) {
            suspensions.resume(id, .disposition(next))
        }

        /// Continues a streamed response.
        ///
        /// - Parameter frame: the next part of the content; `nil` for its end.
        func resume(frame: [UInt8]?) { suspensions.resume(id, .frame(frame)) }

        /// Cancels a task if the listener stops before the request continues.
        package func cancelAtStop(_ task: Task<Void, Never>) { suspensions.cancelAtStop(id, task) }
    }
}
