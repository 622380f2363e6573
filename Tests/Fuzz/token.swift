import GatewayCore
import GatewayJSON

@testable import GatewayAuth

private let secret = Array("c4n4ry-c4n4ry-c4n4ry-c4n4ry-c4n4".utf8)
private let key = try? JSONWebTokenKey(secret: secret)

/// Reads and verifies tokens: the input as it is, and its two lines as header and payload of a token, unsigned and
/// signed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzToken(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = FuzzInput(start, count)
    read(input.text)
    let header = input.bytes.prefix { $0 != UInt8(ascii: "\n") }
    let payload = input.bytes.dropFirst(header.count + 1)
    let signed = Base64.encodeURL(header) + "." + Base64.encodeURL(payload)
    guard let key, let code = JSONWebSignature.make(Array(signed.utf8), key: key) else {
        preconditionFailure("no key")
    }
    read(signed + ".")
    read(signed + "." + Base64.encodeURL(code))
    return 0
}

private func read(_ text: String) {
    let token = Secret(text)
    var decoded: JSONWebToken?
    do throws(JSONWebTokenError) {
        let token = try JSONWebToken(decoding: token)
        decoded = token
        FuzzInput.check(token)
        let requirements = JSONWebTokenRequirements(issuer: "x", audience: nil)
        try token.check(requirements, unixTime: .seconds(1_000_000_000))
    } catch { FuzzInput.check(error) }
    _ = ExpiryHint(token).map { ($0.lifetime(unixTime: .zero), $0.remaining(unixTime: .zero)) }
    guard let key else { return }
    for type in [JSONWebTokenType.jwt, .accessToken] {
        do throws(JSONWebTokenError) {
            let verified = try JSONWebToken.verify(token, key: key, type: type)
            precondition(decoded != nil && verified.header["alg"]?.string == "HS256")
            precondition(text.split(separator: ".", omittingEmptySubsequences: false).count == 3)
            FuzzInput.check(verified)
        } catch { FuzzInput.check(error) }
    }
}
