/// The connection slots of a transport: each exchange needs one, and the requests that wait for one are not stamped yet.
///
/// A transport that wraps another one returns the other's, with itself around ``transport``:
/// ```swift
/// var slots: TransportSlots? {
///     below.slots.map { TransportSlots(admission: $0.admission, transport: Audited(below: $0.transport)) }
/// }
/// ```
public struct TransportSlots: Sendable {
    /// Admits an attempt when it has a slot.
    public let admission: any AdmissionControl
    /// The transport for requests whose callers have a permit of ``admission``: their exchanges start at once. It has no
    /// slots itself.
    public let transport: any Transport

    /// Makes the slots of a transport.
    public init(admission: any AdmissionControl, transport: any Transport) {
        self.admission = admission
        self.transport = transport
    }
}

extension TransportSlots: Redacted {}
