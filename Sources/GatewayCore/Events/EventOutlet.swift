/// The sink of an engine. Objects that exist longer than the engine, such as a token coordinator, refer to it weakly.
package final class EventOutlet: Sendable {
    package let sink: any RequestEventSink

    package init(_ sink: any RequestEventSink) { self.sink = sink }
}

/// A sink with a task of its own that also passes all events on.
package protocol ForwardingEventSink: RequestEventSink {
    /// Receives the events; `nil` if nothing does.
    var receiver: (any RequestEventSink)? { get }
    /// The same task, without the receiver.
    var withoutReceiver: any RequestEventSink { get }
}

/// An object with its own events, which it reports to the sinks of engines.
package protocol EventReporting: Sendable {
    /// Starts to report events to the sink of an engine.
    func report(to outlet: EventOutlet)
}

/// A sink that also reports connection statistics.
package protocol TransportStatisticsObserver: RequestEventSink {
    /// Adds a source of statistics. The source returns `nil` after the transport was released. The sink must not keep
    /// the transport alive.
    func observe(_ statistics: @escaping @Sendable () async -> TransportStatistics?)
}

/// A sink that sends what it records over a transport of its own, which the first engine with it provides.
package protocol TransportRequesting: RequestEventSink {
    /// Takes the transport, unless there is one. It belongs to no engine, and starts with its first request.
    func use(_ transport: @autoclosure () -> any Transport)
}
