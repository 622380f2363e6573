import Foundation
import GatewayClient
import GatewayOfflineQueue
import GatewayTesting

/// Orders, now and later, and their documents.
extension OrdersService {
    func addOrderRoutes() {
        server.route(.get, "/orders") { [api] _ in
            var orders: [Orders.Order] = []
            for try await order in api.orders.listAll(limit: 100) { orders.append(order) }
            return try .value(orders)
        }
        server.route(.post, "/orders") { [api] request in
            let order = try Orders.NewOrder(jsonBytes: request.body)
            do {
                return try .value(await api.orders.create(order), status: 201)
            } catch let error as APIError<Orders.CreateOrderFailure> {
                guard case .documented(.unprocessableContent(let problem)) = error.failure else {
                    throw error
                }
                return .problem(422, problem.detail ?? "", ["property": .string(problem.property ?? "")])
            }
        }
        server.route(.get, "/orders/{id}") { [api] in try .value(await api.orders.get(orderId: $0.id)) }
        server.route(.patch, "/orders/{id}") { [api] request in
            let patch = try Orders.OrderPatch(jsonBytes: request.body)
            return try .value(await api.orders.update(orderId: request.id, patch))
        }
        server.route(.delete, "/orders/{id}") { [api] request in
            try await api.orders.cancel(orderId: request.id)
            return .status(204)
        }
        server.route(.post, "/orders/{id}/documents") { [api] request in
            let document = Orders.AttachDocumentBody(
                title: request.query("title").first ?? "", file: .bytes(request.body, filename: "document"))
            return try .value(await api.orders.attachDocument(orderId: request.id, document), status: 201)
        }
        server.route(.get, "/orders/{id}/invoice") { [api] request in
            let invoice = try await api.orders.getInvoice(orderId: request.id)
            let file = FileManager.default.temporaryDirectory.appending(path: "invoice-\(UUID()).pdf")
            defer { try? FileManager.default.removeItem(at: file) }
            try await invoice.write(toFile: file.path, upToBytes: 32 << 20)
            return .init(fields: [.contentType: "application/pdf"], body: [UInt8](try Data(contentsOf: file)))
        }
    }

    /// Orders that are stored, and placed when the API is available.
    func addQueueRoutes() {
        server.route(.post, "/queue") { [api, queue] request in
            let order = try Orders.NewOrder(jsonBytes: request.body)
            let ticket = try await queue.enqueue(PreparedCall { try await api.orders.create(order) })
            return .json(["ticket": .string("\(ticket.id)")], status: 202)
        }
        server.route(.get, "/queue/{id}") { [queue] request in
            guard let number = Int64(request.id),
                let entry = try await queue.entries(QueueSelection(QueueEntry.ID(number))).first
            else { return .problem(404, "There is no such ticket.") }
            return .json(["ticket": .string("\(entry.id)"), "state": .string(entry.state.name)])
        }
    }
}
