import GatewayCore

@testable import GatewayAuth

/// Reads sets of JSON Web Keys, and verifies with each that libcrypto took.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzKeySet(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = FuzzInput(start, count).bytes
    for provenance in [JSONWebKeySet.Provenance.published, .confidential] {
        do throws(JSONWebKeyError) {
            let set = try JSONWebKeySet(jsonBytes: bytes, provenance: provenance)
            FuzzInput.check(set)
            for omission in set.omissions { FuzzInput.check(omission) }
            for key in set.keys {
                precondition(provenance == .confidential || key.kind != .secret && !key.isPrivate)
                FuzzInput.check(key)
                for algorithm in key.algorithms {
                    guard let bound = key.key(for: algorithm) else { preconditionFailure("no key") }
                    precondition(bound.algorithm == algorithm && bound.canVerify)
                    precondition(!JSONWebSignature.check([1, 2, 3], of: bytes, key: bound))
                }
            }
        } catch { FuzzInput.check(error) }
    }
    return 0
}
