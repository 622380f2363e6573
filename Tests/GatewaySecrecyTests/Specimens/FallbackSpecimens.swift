@testable import GatewayResilience

enum FallbackSpecimens {
    static func all() -> [Any] {
        let feature = DegradableFeature<String, String> {
            Marker.text
        } degraded: { _ in
            Marker.text
        }
        return [
            FallbackChain("live") { Marker.text }.fallback("stored") { Marker.text }, FallbackCondition.any,
            FallbackResult(
                value: Marker.text, step: "stored", failures: [.init(step: "live", error: LeakyError())]),
            FallbackResult<String>.Failure(step: "live", error: LeakyError()), feature,
            DegradableFeature<String, String>.Outcome.degraded(Marker.text, because: LeakyError()),
            Batch(), Batch.Order.items, FallbackEngine(below: Leaky(), steps: []),
            FallbackEngine<Leaky>.Step.engine("replica", Leaky()),
        ]
    }
}
