/// The connection slots of a transport: each exchange needs one. A request gets its credential only after it has a
/// slot.
///
/// A transport that wraps another one returns the slots of that transport, and wraps their ``transport``, too:
/// ```swift
/// var slots: TransportSlots? {
///     below.slots.map { TransportSlots(admission: $0.admission, transport: Audited(below: $0.transport)) }
/// }
/// ```
public struct TransportSlots: Sendable {
    /// Admits an attempt when a slot is free.
    public let admission: any AdmissionControl
    /// The transport for requests whose callers have a permit of ``admission``: their exchanges start at once. Its own
    /// `slots` are `nil`.
    public let transport: any Transport

    /// Makes the slots of a transport.
    public init(admission: any AdmissionControl, transport: any Transport) {
        self.admission = admission
        self.transport = transport
    }
}

extension TransportSlots: Redacted {}
