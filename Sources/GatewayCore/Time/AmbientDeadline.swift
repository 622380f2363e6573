extension Deadline {
    /// The deadline of the current task, which calls inherit; `nil` without one.
    @TaskLocal package static var inherited: Deadline?

    /// The deadline that ``withDeadline(_:isolation:_:)`` has set for the current task; `nil` without one.
    public static var ambient: Deadline? { inherited }
}

/// Runs an operation whose calls must all have ended by a deadline: those of the task and its child tasks, of any engine.
///
/// A call ends at the earliest of this deadline, its own, and those further out. The operation itself is not cancelled; see
/// `executeWithTimeout` for that.
///
/// ```swift
/// try await withDeadline(.after(.seconds(2))) {
///     let list = try await client.books.list()
///     for book in list.items { try await client.books.get(id: book.id) }   // with what is left of the 2 s
/// }
/// ```
/// Work that serves others does not inherit the deadline: token refreshes, requests for keys and metadata, and work of an
/// engine in the background. When equal calls share one flight, each keeps its own deadline. A detached task inherits none.
///
/// - Parameters:
///   - deadline: when all calls must have ended. Create it on the clock of the engine.
///   - isolation: the actor of the caller.
///   - operation: what is run.
/// - Throws: what the operation throws. A call that the deadline ends throws ``NetworkError/timeout`` with the limit
///   ``NetworkError/Phase/call``.
public func withDeadline<Value, Failure: Error>(
    _ deadline: Deadline, isolation: isolated (any Actor)? = #isolation,
    _ operation: () async throws(Failure) -> Value
) async throws(Failure) -> Value {
    let earliest = Deadline.inherited.map { min($0, deadline) } ?? deadline
    let result: Result<Value, Failure> = await Deadline.$inherited.withValue(earliest) {
        do throws(Failure) { return .success(try await operation()) } catch { return .failure(error) }
    }
    return try result.get()
}
