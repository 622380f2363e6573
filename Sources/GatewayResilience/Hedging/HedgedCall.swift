import GatewayCore

/// A call whose delay has not passed. It has no state: its ``HedgeRace`` comes to life with the hedge.
struct HedgedCall: PendingHedge {
    let request: HTTPRequest
    /// The context of the first attempt, which is abandonable.
    let context: RequestContext
    let hedging: Hedging
    /// Makes the attempts.
    let below: any RequestEngine
    let delay: Duration

    func begin() -> HedgeRace { HedgeRace(self) }
}
