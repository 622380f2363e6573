import Foundation
import GatewayClient
import GatewayTesting
import Synchronization
import Testing

/// The service as a process, against an API behind the embedded gateway: everything once, and its end.
@Suite(.serialized) struct OrdersServiceTests {
    private let webhookSecret = Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")

    @Test(arguments: TokenServer.available) func itServesEndsAndContinues(_ server: TokenServer) async throws
    {
        let api = try await OrdersAPI(server)
        defer { api.gateway.shutdown() }
        let folder = FileManager.default.temporaryDirectory.appending(path: "orders-service-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = (folder.appending(path: "webhook"), folder.appending(path: "client"))
        try Data(webhookSecret.exposed.utf8).write(to: files.0)
        try Data(api.tokens.secret.exposed.utf8).write(to: files.1)
        let environment = [
            "GATEWAY_BASE_URL": api.url, "GATEWAY_TOKEN_URL": api.tokens.tokenURL,
            "GATEWAY_CLIENT_ID": api.tokens.id, "GATEWAY_CLIENT_SECRET_FILE": files.1.path,
            "GATEWAY_SCOPE": "read write", "GATEWAY_QUEUE_FILE": folder.appending(path: "queue.sqlite").path,
            "GATEWAY_LOG": "error", "ORDERS_PORT": "0", "ORDERS_WEBHOOK_SECRET_FILE": files.0.path,
        ]

        var service = try await ServiceProcess(environment)
        try await checkProbes(service)
        try await checkOrders(service, api)
        try await checkDocuments(service, api)
        try await checkChanges(service, api)
        try await checkRevokedTokens(service, api)
        try await checkMetrics(service)
        let ticket = try await endWithWork(service, api)

        service = try await ServiceProcess(
            environment.merging(["GATEWAY_CIRCUIT_BREAKER": "standard"]) { $1 })
        #expect(
            try await isEventually {
                try await service.send(.get, "/queue/\(ticket)").json()["state"]?.string == "done"
            })
        let placed = api.state.withLock { $0.orders.count { $0["item"] == "lamp" } }
        #expect(placed == 1)
        try await checkCircuitBreaker(service, api)
        service.terminate()
        #expect(try await service.exitStatus() == 0)
    }

    private func checkProbes(_ service: ServiceProcess) async throws {
        #expect(try await service.send(.get, "/healthz").status == 200)
        #expect(try await service.send(.get, "/readyz").status == 200)
    }

    private func checkOrders(_ service: ServiceProcess, _ api: OrdersAPI) async throws {
        let created = try await service.send(
            .post, "/orders", json: ["item": "chair", "quantity": 2, "note": "blue"])
        #expect(created.status == 201)
        let path = "/orders/\(try created.json()["id"]?.string ?? "")"

        // The second one is from the cache.
        for _ in 0..<2 {
            #expect(try await service.send(.get, path).json()["note"]?.string == "blue")
        }
        #expect(api.gateway.statistics.answered(path: "/shop/orders/{id}", status: 200) == 1)
        // Only what the caller has sent is changed, and the stored response is not used any more.
        let patch: JSONValue = ["quantity": 3, "note": .null]
        #expect(try await service.send(.patch, path, json: patch).status == 200)
        #expect(api.state.withLock { $0.patches } == [patch])
        let changed = try await service.send(.get, path).json()
        #expect(changed["quantity"]?.int == 3 && changed["note"] == nil)

        for number in 0..<120 { _ = api.place(["item": "table", "quantity": 1], key: "table-\(number)") }
        #expect(try await service.send(.get, "/orders").json().array?.count == 121)
        #expect(api.gateway.statistics.answered(path: "/shop/orders", status: 200) == 2)

        #expect(try await service.send(.delete, path).status == 204)
        let missing = try await service.send(.get, path)
        #expect(missing.status == 404 && missing.problem?.detail == "There is no such order.")
        let refused = try await service.send(.post, "/orders", json: ["item": "chair", "quantity": 0])
        #expect(refused.status == 422 && refused.problem?.extensions["property"] == "quantity")
        let malformed = try await service.send(.post, "/orders", json: ["item": "chair"])
        #expect(malformed.status == 400 && malformed.problem?.status == 400)
    }

    private func checkDocuments(_ service: ServiceProcess, _ api: OrdersAPI) async throws {
        let content = Array("receipt \u{0}\r\n--x".utf8)
        let stored = try await service.send(
            .post, "/orders/o2/documents?title=a+receipt", [.contentType: "application/octet-stream"],
            body: content)
        #expect(stored.status == 201)
        let upload = Data(try #require(api.state.withLock { $0.uploads.first }))
        #expect(upload.range(of: Data(content)) != nil && upload.range(of: Data("a receipt".utf8)) != nil)
        let invoice = try await service.send(.get, "/orders/o2/invoice")
        #expect(invoice.status == 200 && invoice.body.bytes == api.invoice)
    }

    private func checkChanges(_ service: ServiceProcess, _ api: OrdersAPI) async throws {
        func change(_ order: String) -> JSONValue {
            ["type": "orderChanged", "orderId": .string(order), "status": "shipped"]
        }
        api.state.withLock { $0.changes.append(change("o2")) }
        #expect(
            try await isEventually { try await service.send(.get, "/changes").text().contains(#""o2""#) })
        // After the end of a response, and only what came after the last event.
        api.state.withLock { $0.changes.append(change("o3")) }
        #expect(
            try await isEventually { try await service.send(.get, "/changes").text().contains(#""o3""#) })

        let body = try change("o4").jsonBytes()
        var fields = try WebhookVerifier(secret: webhookSecret).fields(signing: body, id: "msg_1")
        for _ in 0..<2 {
            #expect(try await service.send(.post, "/webhooks", fields, body: body).status == 204)
        }
        fields["webhook-signature"] = "v1,AAAA"
        #expect(try await service.send(.post, "/webhooks", fields, body: body).status == 401)
        let events = try await service.send(.get, "/changes", ["Last-Event-ID": "2"]).text()
        #expect(events.hasPrefix("retry: 1000\n\nid: 3\ndata: ") && events.contains(#""o4""#))
        #expect(!events.contains("id: 4"))

        // After an error, too, each change is received once.
        let fault = api.gateway.inject(.status(404), into: .path("/shop/changes"), times: 1)
        #expect(try await isEventually { fault.hits == 1 })
        api.state.withLock { $0.changes.append(change("o5")) }
        var later = ""
        let hasCome = try await isEventually {
            later = try await service.send(.get, "/changes", ["Last-Event-ID": "3"]).text()
            return later.contains(#""o5""#)
        }
        #expect(hasCome && later.hasPrefix("retry: 1000\n\nid: 4\ndata: ") && !later.contains("id: 5"))
    }

    private func checkRevokedTokens(_ service: ServiceProcess, _ api: OrdersAPI) async throws {
        // The probe, the calls and the stream have the same token.
        #expect(try await api.tokens.requests() == 1)
        try await api.tokens.revoke()
        #expect(try await service.send(.get, "/orders/o4").status == 200)
        #expect(try await api.tokens.requests() == 2)
    }

    private func checkMetrics(_ service: ServiceProcess) async throws {
        let metrics = try await service.send(.get, "/metrics")
        #expect(metrics.fields[.contentType]?.hasPrefix("text/plain") == true)
        let text = try metrics.text()
        for name in [
            "http_client_request_duration_seconds_count", "gateway_client_token_refreshes_total",
            "gateway_client_replays_total",
        ] {
            #expect(text.contains(name))
        }
    }

    /// Ends the service while a call is in progress and an order is stored.
    ///
    /// - Returns: the ticket of the order.
    private func endWithWork(_ service: ServiceProcess, _ api: OrdersAPI) async throws -> String {
        let fault = api.gateway.inject(
            .status(503, retryAfter: .seconds(1)), into: .path("/shop/orders", method: .post))
        let queued = try await service.send(.post, "/queue", json: ["item": "lamp", "quantity": 1])
        #expect(queued.status == 202)
        let ticket = try queued.json()["ticket"]?.string ?? ""
        #expect(try await isEventually { fault.hits > 0 })

        let hold = api.gateway.hold(.path("/shop/orders/o5"))
        async let last = service.send(.get, "/orders/o5")
        await hold.waitForArrivals(1)
        service.terminate()
        // It accepts no connections any more, and the call goes on.
        #expect(
            try await isEventually {
                do throws(NetworkError) {
                    try await service.connect()
                    return false
                } catch { return error.code == .connectionRefused }
            })
        hold.release()
        #expect(try await last.status == 200)
        #expect(try await service.exitStatus() == 0)
        fault.remove()
        return ticket
    }

    private func checkCircuitBreaker(_ service: ServiceProcess, _ api: OrdersAPI) async throws {
        let fault = api.gateway.inject(.status(503), into: .path("/shop/orders/o6/invoice"))
        #expect(
            try await isEventually {
                let response = try await service.send(.get, "/orders/o6/invoice")
                return response.status == 503
                    && response.problem?.extensions["code"] == .string(NetworkError.circuitOpen.name)
            })
        let hits = fault.hits
        #expect(try await service.send(.get, "/orders/o6/invoice").status == 503)
        #expect(fault.hits == hits)
        // The other instances of the service have the same circuit, so it stays ready.
        let health = try await service.send(.get, "/readyz")
        #expect(try health.status == 200 && health.text().contains("open"))
    }
}
