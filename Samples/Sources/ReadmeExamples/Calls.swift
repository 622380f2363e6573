import GatewayClient

/// Options by operation.
func options(request: HTTPRequest) async throws {
    var configuration = GatewayConfiguration()
    configuration.operations = [
        "listPets": CallOptions(deadline: .seconds(2)),
        "createOrder": CallOptions(priority: .high, limits: AttemptLimits(firstByte: .seconds(5))),
    ]
    let engine = try configuration.makeEngine()
    let pets = try await engine.send(request, operation: "listPets")
    print(pets.status)
    await engine.shutdown(within: .seconds(10))
}
