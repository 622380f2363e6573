/// The right to go on with a request that was set aside. The first use counts; after the server has stopped,
/// none does.
struct Resumption: Sendable {
    let suspensions: Suspensions
    let id: UInt64

    /// Goes on with what the function says; it runs on the server's thread.
    func resume(_ next: @escaping @Sendable () -> Disposition) { suspensions.resume(id, next) }

    /// Has a task cancelled when the server stops before the request went on.
    func cancelAtStop(_ task: Task<Void, Never>) { suspensions.cancelAtStop(id, task) }
}
