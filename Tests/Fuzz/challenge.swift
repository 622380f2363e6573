@testable import GatewayAuth

/// The parser of `WWW-Authenticate`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzChallenge(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let line = FuzzInput(start, count).text
    let challenges = AuthenticationChallenge.parse(lines: [line])
    precondition(challenges.count <= 64)
    var length = 0
    for challenge in challenges {
        precondition(!challenge.scheme.isEmpty)
        length += challenge.scheme.utf8.count + (challenge.token68?.utf8.count ?? 0)
        for (name, value) in challenge.parameters { length += name.utf8.count + value.utf8.count }
        FuzzInput.check(challenge)
    }
    precondition(length <= line.utf8.count)
    return 0
}
