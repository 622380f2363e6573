import GatewayClient
import GatewayTesting
import Synchronization

/// The newest changes of orders: by the API's event stream, and by its webhooks.
final class ChangeLog: EnginePart {
    private struct State {
        var count = 0
        var changes: [(number: Int, change: Orders.Change)] = []
        /// The IDs of the newest webhooks, which may be delivered again.
        var webhooks: [String] = []
        var follower: Task<Void, Never>?
    }

    private static let limit = 1000
    private let state = Mutex(State())

    /// Follows the changes until the part ends, from the last event on. Why it fails is in the log of the engine.
    func follow(_ api: OrdersClient) {
        let task = Task { [self] in
            var (last, resumption) = (HTTPFields(), StreamResumption())
            resumption.reconnectsAfterEnd = true
            while !Task.isCancelled {
                do {
                    let stream = api.orders.watchChanges(options: CallOptions(fields: last))
                    for try await event in stream.messages.resuming(resumption) {
                        last["Last-Event-ID"] = event.id
                        add(try Orders.Change(jsonBytes: Array(event.data.utf8)))
                    }
                } catch {}
                try? await Task.sleep(for: .seconds(1))
            }
        }
        state.withLock { $0.follower = task }
    }

    /// - Parameter webhook: the ID of the webhook that has the change.
    func add(_ change: Orders.Change, webhook: String? = nil) {
        state.withLock { state in
            if let webhook {
                guard !state.webhooks.contains(webhook) else { return }
                state.webhooks = state.webhooks.suffix(Self.limit - 1) + [webhook]
            }
            state.count += 1
            state.changes = state.changes.suffix(Self.limit - 1) + [(state.count, change)]
        }
    }

    /// The changes after a number as server-sent events, whose IDs are their numbers.
    func events(after number: Int) throws -> String {
        let changes = state.withLock { $0.changes.filter { $0.number > number } }
        return try changes.reduce(into: "retry: 1000\n\n") { text, change in
            let data = String(decoding: try change.change.jsonBytes(), as: UTF8.self)
            text += "id: \(change.number)\ndata: \(data)\n\n"
        }
    }

    func partHealth() async -> PartHealth? {
        PartHealth(name: "changes", state: "following", counts: ["received": state.withLock { $0.count }])
    }

    func end(until deadline: Deadline) async {
        let task = state.withLock { $0.follower }
        task?.cancel()
        await task?.value
    }
}

/// Webhooks, and the changes as server-sent events.
extension OrdersService {
    func addChangeRoutes(_ verifier: WebhookVerifier) {
        server.route(.post, "/webhooks") { [changes] request in
            let id = try verifier.verify(body: request.body, fields: request.fields)
            switch try Orders.Webhooks.parse(body: request.body, fields: request.fields, verifier: nil) {
            case .orderChanged(let change): changes.add(change, webhook: id)
            }
            return .status(204)
        }
        // The response has the changes so far; the client continues after `retry`, with the ID of the last one.
        server.route(.get, "/changes") { [changes] request in
            let last = request.fields["Last-Event-ID"].flatMap { Int($0) } ?? 0
            return .text(try changes.events(after: last), contentType: "text/event-stream")
        }
    }
}
