import GatewayClient

// Examples of GeneratedClients.md about streams.

func followThePrices(
    _ prices: EventStream<String, NoDocumentedFailure>, show: @Sendable (String) -> Void
) async throws {
    for try await price in prices.resuming() { show(price) }
    var resumption = StreamResumption()
    resumption.reconnectsAfterEnd = true
    for try await price in prices.resuming(resumption) { show(price) }
}
