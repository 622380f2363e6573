import GatewayCore

@testable import GatewayAuth

/// Reads responses of token endpoints: the status, a space, the content.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTokenResponse(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = FuzzInput(start, count).bytes
    let head = bytes.prefix { $0 != UInt8(ascii: " ") }
    guard let origin = try? Origin("https://login.example.com") else { preconditionFailure("no origin") }
    let response = TokenResponse(
        status: Int(String(decoding: head, as: UTF8.self)) ?? 200,
        body: Array(bytes.dropFirst(head.count + 1)),
        retryAfter: nil, origin: origin, secrets: [Secret(FuzzInput.canary)])
    // A token of another type than requested is refused.
    for type in [AccessTokenType.bearer, .dpop] {
        do throws(NetworkError) {
            let grant = try response.grant(unixTime: .seconds(1_000_000_000), type: type)
            precondition((200..<300).contains(response.status))
            precondition(!grant.accessToken.isEmpty && grant.type == type)
            precondition(grant.accessToken.exposed.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
            FuzzInput.check(grant)
        } catch { FuzzInput.check(error) }
    }
    return 0
}
