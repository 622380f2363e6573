extension Deadline {
    /// The deadline of the current task that calls inherit; `nil` without one.
    @TaskLocal package static var inherited: Deadline?

    /// The deadline that ``withDeadline(_:isolation:_:)`` has set for the current task; `nil` without one.
    public static var ambient: Deadline? { inherited }
}

/// Runs an operation with a deadline for all calls of its task and child tasks, for any engine.
///
/// A call ends at the earliest of this deadline, its own deadline, and those of enclosing `withDeadline` calls. The
/// operation itself is not cancelled; for that see `executeWithTimeout`.
///
/// ```swift
/// try await withDeadline(.after(.seconds(2))) {
///     let list = try await client.books.list()
///     for book in list.items { try await client.books.get(id: book.id) }   // with what is left of the 2 s
/// }
/// ```
/// Work that is shared with other callers does not inherit the deadline: token refreshes, requests for keys and
/// metadata, and background work of an engine. If equal calls share one flight, each keeps its own deadline. A detached
/// task does not inherit the deadline.
///
/// - Parameters:
///   - deadline: when all calls must have ended. Create it with the clock of the engine.
///   - isolation: the actor of the caller.
///   - operation: the operation to run.
/// - Throws: the error of the operation. A call that exceeds the deadline throws ``NetworkError/timeout`` with the
///   limit ``NetworkError/Phase/call``.
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
