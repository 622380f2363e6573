/// One set of webhooks or callbacks as a Swift enum.
struct EventSetPlan {
    /// How an event is distinguished from the others of its set.
    enum Recognition {
        /// The set has only one event.
        case only
        /// By a property with different string values in each body.
        case property(String)
        /// By a name that the receiver passes, from the URL or a header field.
        case name
    }

    struct Case {
        @Indirect var event: Event
        /// The name without backticks.
        let plainName: String
        /// As declared.
        var name: String { SwiftName.escaped(plainName) }
        let payload: BodyReading
        /// Whether the case is indirect because of a large payload.
        let isIndirect: Bool
        /// The values of the discriminating property for this event.
        let values: [String]
    }

    let set: EventSet
    /// In the namespace.
    let name: String
    let recognition: Recognition
    let cases: [Case]
}
