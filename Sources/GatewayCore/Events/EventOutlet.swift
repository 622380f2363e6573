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

/// A sink that sends what it records over transports of its own, which the first engine with it provides.
package protocol TransportRequesting: RequestEventSink {
    /// Takes the transports, unless it has them. They belong to no engine, start with their first request, and end with the
    /// sink.
    ///
    /// - Parameter transport: makes a transport that uses these files for TLS.
    func use(_ transport: (TLSFiles) -> any Transport)
}

/// The files of a transport for TLS, in PEM format.
package struct TLSFiles: Hashable, Sendable {
    /// The certificates to trust; `nil` for those of the system.
    package var trusted: String?
    /// The client certificate and its private key; `nil` for none.
    package var client: Client?

    /// A client certificate.
    package struct Client: Hashable, Sendable {
        package let certificate: String
        package let key: String

        package init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    package init(trusted: String? = nil, client: Client? = nil) {
        self.trusted = trusted
        self.client = client
    }
}

/// A sink that passes events on to others.
package protocol EventDistributing: RequestEventSink {
    /// The other sinks.
    var receivers: [any RequestEventSink] { get }
}

extension RequestEventSink {
    /// The sink itself and all sinks that it passes events on to: what an engine offers to a sink is offered to each.
    package var allReceivers: [any RequestEventSink] {
        [self] + ((self as? any EventDistributing)?.receivers.flatMap(\.allReceivers) ?? [])
    }
}
