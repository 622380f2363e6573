import BookshopAPI
import GatewayClient
import GatewayOfflineQueue

// The examples of Queue.md.

func storedRequest() async throws {
    let engine = try GatewayConfiguration().makeEngine()
    let queue = try await OfflineQueueEngine(
        store: SQLiteQueueStore(path: try SQLiteQueueStore.defaultPath()), engine: engine)
    await queue.start()

    let request = try HTTPRequest(.post, "https://api.example.com/payments", body: .text("{}"))
    let ticket = try await queue.enqueue(QueueRequest(request))
    // The request is on the disk from here on.
    let outcome = try await ticket.outcome()
    await queue.stop(within: .seconds(10))
    print(outcome)
}

func storedCall(_ queue: OfflineQueueEngine, _ api: BookshopClient, _ order: Bookshop.NewOrder) async throws {
    let ticket = try await queue.enqueue(PreparedCall { try await api.orders.place(order) }) {
        $0.orderingKey = "orders"
    }
    switch try await ticket.outcome() {
    case .decoded(let receipt): print("placed:", receipt.id)
    case .failed(let error): print("refused:", error)
    default: print("ended without a response")
    }
}

func queueWithACredential(_ credential: OAuthCredential, _ engine: GatewayEngine) throws {
    var settings = OfflineQueueEngine.Configuration()
    settings.credential = try credential.credentials(for: ["https://api.example.com"], engine: engine)
    _ = settings
}

protocol Sessions: Sendable {
    func credentials(of account: String) -> (any CredentialSource)?
}

func queueOfSeveralAccounts(_ sessions: any Sessions) {
    var settings = OfflineQueueEngine.Configuration()
    settings.credentials = { account in sessions.credentials(of: account.name) }
    _ = settings
}

func queueOfTheEnvironment(_ engine: GatewayEngine) async throws {
    let queue = try await OfflineQueueEngine(
        store: SQLiteQueueStore(path: SQLiteQueueStore.environmentPath()), engine: engine,
        configuration: .environment())
    _ = queue
}
