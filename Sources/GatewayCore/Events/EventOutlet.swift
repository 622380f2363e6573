/// The sink of an engine. What outlives the engine, such as the keeper of tokens, refers to it weakly.
package final class EventOutlet: Sendable {
    package let sink: any RequestEventSink

    package init(_ sink: any RequestEventSink) { self.sink = sink }
}

/// An engine with a sink, for what is created for the engine and has events of its own.
package protocol EventOutletProviding: Sendable {
    /// The sink; `nil` without one.
    var eventOutlet: EventOutlet? { get }
}

/// Something with events of its own, which it reports to the sinks of engines.
package protocol EventReporting: Sendable {
    /// Reports to an engine's sink from now on.
    func report(to outlet: EventOutlet)
}

/// A sink that reports the numbers of connections, too.
package protocol TransportStatisticsObserver: RequestEventSink {
    /// Adds a source of numbers. It returns `nil` once the transport is gone, which the sink must not keep.
    func observe(_ statistics: @escaping @Sendable () async -> TransportStatistics?)
}
