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
