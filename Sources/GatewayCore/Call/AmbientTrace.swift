/// The trace that calls of a task continue. It is a class, so that a call reads one pointer.
final class AmbientTrace: Sendable {
    @TaskLocal static var current: AmbientTrace?

    let trace: TraceContext?
    let baggage: Baggage

    init(trace: TraceContext?, baggage: Baggage) {
        self.trace = trace
        self.baggage = baggage
    }
}

extension TraceContext {
    /// The position that ``withTrace(_:baggage:isolation:_:)`` has set for the current task; `nil` without one.
    public static var ambient: TraceContext? { AmbientTrace.current?.trace }
}

extension Baggage {
    /// The baggage that ``withTrace(_:baggage:isolation:_:)`` has set for the current task; empty without any.
    public static var ambient: Baggage { AmbientTrace.current?.baggage ?? Baggage() }
}

/// Runs an operation whose calls continue a trace: all calls of its task and child tasks, for any engine.
///
/// ```swift
/// try await withTrace(TraceContext(fields: incoming.fields), baggage: Baggage(fields: incoming.fields)) {
///     let list = try await client.books.list()
///     for book in list.items { try await client.books.get(id: book.id) }
/// }
/// ```
/// A call with its own position (``CallOptions/trace``) keeps it. Work that is shared with other callers does not continue the
/// trace: token refreshes and background work of an engine. A detached task does not inherit it.
///
/// - Parameters:
///   - trace: the position of the caller; `nil` if each call begins a new trace.
///   - baggage: the values that are sent with each attempt.
///   - isolation: the actor of the caller.
///   - operation: the operation to run.
/// - Throws: the error of the operation.
public func withTrace<Value, Failure: Error>(
    _ trace: TraceContext?, baggage: Baggage = Baggage(), isolation: isolated (any Actor)? = #isolation,
    _ operation: () async throws(Failure) -> Value
) async throws(Failure) -> Value {
    let ambient = AmbientTrace(trace: trace, baggage: baggage)
    let result: Result<Value, Failure> = await AmbientTrace.$current.withValue(ambient) {
        do throws(Failure) { return .success(try await operation()) } catch { return .failure(error) }
    }
    return try result.get()
}

extension RequestContext {
    /// Continues the trace of the task, unless the call has its own.
    package mutating func inheritTrace() {
        guard let ambient = AmbientTrace.current else { return }
        if let trace = ambient.trace, self.trace == nil { self.trace = trace }
        if !ambient.baggage.isEmpty, baggage.isEmpty { baggage = ambient.baggage }
    }
}
