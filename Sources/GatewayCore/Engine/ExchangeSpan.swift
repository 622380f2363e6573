/// The span of the exchange that an outcome comes from. It is a reference, so that responses and errors without a trace have
/// one pointer more.
package final class ExchangeSpan: Hashable, Sendable {
    package let position: TraceContext

    package init(_ position: TraceContext) { self.position = position }

    package static func == (a: ExchangeSpan, b: ExchangeSpan) -> Bool { a.position == b.position }

    package func hash(into hasher: inout Hasher) { hasher.combine(position) }
}

/// The token requests of one refresh, for the events that its result has.
package final class RefreshTrace: Sendable {
    @TaskLocal package static var current: RefreshTrace?

    private let last = Locked<TraceContext?>(nil)

    package init() {}

    /// The span of the last token request.
    package var span: TraceContext? { last.withLock { $0 } }

    /// Notes the span of a token request.
    package func note(_ span: TraceContext) { last.withLock { $0 = span } }
}
