public import GatewayCore

/// Makes many calls with bounded concurrency, and returns a result for each item.
///
/// ```swift
/// let batch = Batch(concurrency: 16, deadline: .after(.seconds(30)))
/// let results = await batch.results(for: ids) { id in try await client.books.get(id: id) }
/// for (id, result) in zip(ids, results) { print(id, (try? result.get())?.title ?? "failed") }
/// ```
/// An item that fails does not end the others. When the deadline passes or the task is cancelled, the
/// operations in progress are cancelled, and the remaining items fail with the code `timeout` or `cancelled`
/// without being started.
public struct Batch: Sendable {
    /// The order in which results are delivered.
    public enum Order: Hashable, Sendable {
        /// The order of the items. A result waits for the earlier ones; the number of waiting results is limited by the
        /// concurrency.
        case items
        /// As the operations end.
        case completion
    }

    /// The maximum number of operations in progress.
    public let concurrency: Int
    /// The deadline of all operations, which their calls inherit; `nil` for the deadline of the task only.
    public let deadline: Deadline?
    private let clock: any GatewayClock

    /// Makes a batch.
    ///
    /// - Parameters:
    ///   - concurrency: the maximum number of operations in progress; values below 1 count as 1. Defaults to 8.
    ///   - deadline: the deadline of all operations, created with the same clock.
    ///   - clock: the clock of the deadline.
    public init(concurrency: Int = 8, deadline: Deadline? = nil, clock: any GatewayClock = SystemClock()) {
        self.concurrency = min(max(1, concurrency), 1 << 20)
        self.deadline = deadline
        self.clock = clock
    }

    /// Runs an operation for each item.
    ///
    /// - Parameters:
    ///   - items: the items.
    ///   - isolation: the actor of the caller.
    ///   - operation: the operation for an item.
    /// - Returns: the results, in the order of the items.
    public func results<Items: Collection, Value: Sendable>(
        for items: Items, isolation: isolated (any Actor)? = #isolation,
        _ operation: @escaping @Sendable (Items.Element) async throws -> Value
    ) async -> [Result<Value, any Error>] where Items.Element: Sendable {
        var results: [Result<Value, any Error>] = []
        results.reserveCapacity(items.count)
        await run(items, order: .items, isolation: isolation, operation) { results.append($1) }
        return results
    }

    /// Runs an operation for each item, and delivers each result. Memory is used for the items in progress
    /// only.
    ///
    /// No operation starts while `receive` runs.
    ///
    /// - Parameters:
    ///   - items: the items. They are read as operations start.
    ///   - order: the order of results.
    ///   - isolation: the actor of the caller.
    ///   - operation: the operation for an item.
    ///   - receive: gets the position of the item, counted from 0, and its result: once for each item.
    /// - Throws: the error that `receive` throws; operations in progress are then cancelled, and no others
    ///   start.
    public func run<Items: Collection, Value: Sendable, Failure: Error>(
        _ items: Items, order: Order, isolation: isolated (any Actor)? = #isolation,
        _ operation: @escaping @Sendable (Items.Element) async throws -> Value,
        receive: (Int, Result<Value, any Error>) async throws(Failure) -> Void
    ) async throws(Failure) where Items.Element: Sendable {
        let deadline = Deadline.earliest(deadline, Deadline.ambient)
        let clock = clock
        let result: Result<Void, Failure> = await withTaskGroup(
            of: BatchEnd<Value>.self, isolation: isolation
        ) { group in
            defer { group.cancelAll() }
            if let deadline {
                group.addTask {
                    do { try await clock.sleep(until: deadline.instant) } catch { return .alarmCancelled }
                    return .late
                }
            }
            var state = BatchState<Value>(
                concurrency: concurrency, isOrdered: order == .items, count: items.count)
            var next = items.startIndex
            while !state.isDone {
                if Task.isCancelled { state.stop(.cancelled) }
                if let deadline, deadline.hasPassed(at: clock.time) { state.stop(.timeout) }
                if state.isStopped { group.cancelAll() }
                while let step = state.next() {
                    switch step {
                    case .start(let index):
                        let item = items[next]
                        items.formIndex(after: &next)
                        group.addTask {
                            await .ended(index, Self.outcome(of: item, deadline, operation))
                        }
                    case .deliver(let index, let result):
                        do throws(Failure) { try await receive(index, result) } catch {
                            return .failure(error)
                        }
                    }
                }
                guard !state.isDone, let end = await group.next() else { continue }
                switch end {
                case .ended(let index, let result): state.ended(index, result)
                case .late: state.stop(.timeout)
                case .alarmCancelled: break
                }
            }
            return .success(())
        }
        try result.get()
    }

    private static func outcome<Item: Sendable, Value: Sendable>(
        of item: Item, _ deadline: Deadline?, _ operation: @Sendable (Item) async throws -> Value
    ) async -> Result<Value, any Error> {
        do {
            guard let deadline else { return .success(try await operation(item)) }
            return .success(try await withDeadline(deadline) { try await operation(item) })
        } catch {
            return .failure(error)
        }
    }
}

/// The result of a task of a batch.
enum BatchEnd<Value: Sendable>: Sendable {
    case ended(Int, Result<Value, any Error>)
    case late
    case alarmCancelled
}

extension Batch: Redacted {}
