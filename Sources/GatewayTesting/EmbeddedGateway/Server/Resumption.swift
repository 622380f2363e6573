/// Continues a suspended request. Only the first call has an effect, and none after the server has stopped.
struct Resumption: Sendable {
    let suspensions: Suspensions
    let id: UInt64

    /// Continues with the result of the function, which runs on the server's thread.
    func resume(_ next: @escaping @Sendable () -> Disposition) { suspensions.resume(id, next) }

    /// Cancels a task if the server stops before the request continues.
    func cancelAtStop(_ task: Task<Void, Never>) { suspensions.cancelAtStop(id, task) }
}
