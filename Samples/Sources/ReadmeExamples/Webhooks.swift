import BookshopAPI
import GatewayClient

// What the page on webhooks shows, so that it is compiled; scripts/check-readme.sh compares the two.

/// A receiver of webhooks.
func receiver(current: Secret, previous: Secret) throws -> ([UInt8], HTTPFields) -> Int {
    let verifier = try WebhookVerifier(secrets: [current, previous])

    func receive(body: [UInt8], fields: HTTPFields) -> Int {
        do throws(WebhookError) {
            switch try Bookshop.Webhooks.parse(body: body, fields: fields, verifier: verifier) {
            case .orderShipped(let event): print(event.orderId)
            case .stockLow(let event): print(event.bookId, event.left)
            case .unrecognized: break
            }
            return 204
        } catch {
            return error.isForged ? 401 : 400
        }
    }
    return receive
}

/// A sender, or a test of a receiver.
func sender(verifier: WebhookVerifier, body: [UInt8]) throws -> HTTPFields {
    let fields = try verifier.fields(signing: body, id: "msg_1")
    return fields
}
