import Synchronization

/// The values of a context on the heap, one pointer wide, copied when shared ones are changed; and a priority that all
/// copies share.
///
/// Why not ``CopyOnWrite``: a call may get a higher priority while the layers below already hold copies of its context.
@usableFromInline
struct ContextStorage<Values: Sendable>: Sendable {
    @safe
    @usableFromInline
    final class Box: Sendable {
        /// Unchecked: it is written only while there is one reference to the box.
        @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var values: Values
        /// The rank of the priority that the call was raised to. Only that of the first box counts.
        let raisedRank = Atomic<UInt8>(0)
        /// Whether the call goes on without the attempt that has this box.
        let isAbandoned = Atomic(false)
        /// Whether the exchange may be told to go on without its caller.
        let isAbandonable: Bool
        /// Whether the box was made for an attempt of its own.
        let isSeparate: Bool
        /// The box that the first copy was made of; `nil` for that box itself.
        let first: Box?
        /// The separate box that this one is a copy of; `nil` without one, and for that box itself.
        let attempt: Box?
        /// The exchange of the attempt, in an abandonable box.
        let exchange = Locked(AttemptExchange())

        init(
            _ values: Values, first: Box?, attempt: Box? = nil, isSeparate: Bool = false,
            isAbandonable: Bool = false
        ) {
            unsafe self.values = values
            self.first = first
            self.attempt = attempt
            self.isSeparate = isSeparate
            self.isAbandonable = isAbandonable
            #if DEBUG
                CallCounter.current?.addBox(of: Values.self)
            #endif
        }
    }

    @usableFromInline var box: Box

    private init(box: Box) { self.box = box }

    /// Puts values on the heap.
    init(_ values: Values) { box = Box(values, first: nil) }

    /// The values. A change copies them if they are shared.
    @usableFromInline
    var value: Values {
        @inlinable _read { yield unsafe box.values }
        _modify {
            if !isKnownUniquelyReferenced(&box) {
                box = Box(
                    unsafe box.values, first: box.first ?? box,
                    attempt: box.attempt ?? (box.isSeparate ? box : nil), isAbandonable: box.isAbandonable)
            }
            yield unsafe &box.values
        }
    }

    /// Whether both are the same place on the heap.
    @inlinable
    func isIdentical(to other: Self) -> Bool { box === other.box }

    /// The same values in a place of their own.
    ///
    /// - Parameter isAbandonable: whether an exchange may be told to go on without its caller.
    func separated(isAbandonable: Bool) -> Self {
        Self(
            box: Box(
                unsafe box.values, first: box.first ?? box, isSeparate: true, isAbandonable: isAbandonable))
    }

    /// The box that all copies for this attempt share.
    private var shared: Box { box.attempt ?? box }

    /// Whether ``abandon()`` was called for this attempt.
    var isAbandoned: Bool { shared.isAbandoned.load(ordering: .relaxed) }

    /// Notes for all who hold this place or a copy of it that the call goes on without them, and tells the exchange.
    func abandon() {
        shared.isAbandoned.store(true, ordering: .relaxed)
        guard box.isAbandonable else { return }
        let abandonment = Abandonment()
        shared.exchange.withLock { $0.abandon(abandonment) }?.abandon(abandonment)
    }

    /// Whether an exchange may be told to go on without its caller.
    var isAbandonable: Bool { box.isAbandonable }

    /// Reads or changes the exchange of the attempt.
    func withExchange<Result: Sendable>(_ body: (inout AttemptExchange) -> Result) -> Result {
        shared.exchange.withLock { body(&$0) }
    }

    /// The rank that this context or a copy of it was raised to; 0 if none was.
    var raisedRank: UInt8 { (box.first ?? box).raisedRank.load(ordering: .relaxed) }

    /// Raises the rank of this context and of all its copies, and returns whether it was lower. A lower rank changes nothing.
    func raise(to rank: UInt8) -> Bool {
        (box.first ?? box).raisedRank.max(rank, ordering: .relaxed).oldValue < rank
    }
}
