import GatewayCore
import GatewayJSON
import GatewayTesting
import Testing

@testable import GatewayAuth

/// Whatever comes in: no crash, bounded work, and nothing of it in what can be printed.
@Suite struct CorpusTests {
    /// So many inputs are made of each file's, besides its own.
    private static let mutations = SoakScale.rounds(300)

    private static func inputs(_ corpus: Corpus, seed: UInt64) throws -> [[UInt8]] {
        let entries = try corpus.entries()
        let mutator = CorpusMutator(seed: TestSeed.value(seed), seeds: entries)
        return entries + (0..<mutations).map { _ in mutator.next() }
    }

    /// What a careless log would show.
    private static func printed(_ values: [Any]) -> String {
        var text = ""
        for value in values {
            text += "\(value)\n" + String(reflecting: value) + "\n"
            dump(value, to: &text)
        }
        return text
    }

    private static func leaks(_ values: [Any]) -> Bool {
        let text = printed(values)
        return Corpus.marks.contains { text.contains($0) }
    }

    @Test(arguments: [Corpus.tokens, .challenges, .tokenResponses, .keySets])
    func theFilesAreLarge(corpus: Corpus) throws {
        let entries = try corpus.entries()
        #expect(entries.count >= 330)
        #expect(Set(entries).count == entries.count)
    }

    @Test func theMarksAreThoseOfTheCanary() {
        for prefix in ["", "x", "xy", "xyz"] {
            let text = Base64.encodeURL((prefix + Corpus.canary + "tail").utf8)
            #expect(Corpus.marks.contains { text.contains($0) })
        }
        #expect(Self.leaks(["c4n4ry"]))
        #expect(Corpus.marks.allSatisfy { $0.utf8.count >= 6 })
    }

    @Test func tokens() throws {
        let secret = "c4n4ry-c4n4ry-c4n4ry-c4n4ry-c4n4"
        let keys = [
            try JSONWebTokenKey(secret: Array(secret.utf8)),
            try JSONWebTokenKey(secret: Array((secret + secret).utf8), algorithm: .hs512),
            try JSONWebTokenKey(pem: TestKeys.rsaPublic.pem, algorithm: .rs256),
            try JSONWebTokenKey(pem: TestKeys.p256Public.pem, algorithm: .es256),
        ]
        var (read, verified) = (0, 0)
        for input in try Self.inputs(.tokens, seed: 1) {
            let token = Secret(String(decoding: input, as: UTF8.self))
            var seen: [Any] = []
            do throws(JSONWebTokenError) {
                let decoded = try JSONWebToken(decoding: token)
                read += 1
                #expect(token.exposed.utf8.count <= JSONWebToken.maximumBytes)
                seen = [decoded, ExpiryHint(token).map { _ in "hint" } as Any]
                let requirements = JSONWebTokenRequirements(issuer: "x", audience: "y")
                do throws(JSONWebTokenError) { try decoded.check(requirements, unixTime: .zero) } catch {
                    seen.append(error)
                }
            } catch {
                #expect(error.code == .malformed)
                seen.append(error)
            }
            for key in keys {
                for type in [JSONWebTokenType.jwt, .accessToken] {
                    do throws(JSONWebTokenError) {
                        let token = try JSONWebToken.verify(token, key: key, type: type)
                        // Nobody has signed with the private keys.
                        #expect(key.algorithm == .hs256)
                        verified += 1
                        seen.append(token)
                    } catch { seen.append(error) }
                }
            }
            if Self.leaks(seen) { Issue.record("printed: \(input.count) bytes, \(Self.printed(seen))") }
        }
        // Some go all the way, or nothing was tested.
        #expect(read > 100)
        #expect(verified > 3)
    }

    @Test func challenges() throws {
        var read = 0
        let inputs = try Self.inputs(.challenges, seed: 2)
        for input in inputs {
            let line = String(decoding: input, as: UTF8.self)
            let challenges = AuthenticationChallenge.parse(lines: [line, "Basic", line])
            read += challenges.count
            #expect(challenges.count <= 64)
            let length = challenges.map { challenge in
                challenge.scheme.utf8.count + (challenge.token68?.utf8.count ?? 0)
                    + challenge.parameters.map { $0.key.utf8.count + $0.value.utf8.count }.reduce(0, +)
            }.reduce(0, +)
            #expect(length <= 2 * line.utf8.count + 5)
            if Self.leaks(challenges) { Issue.record("printed: \(Self.printed(challenges))") }
        }
        #expect(read > inputs.count)
    }

    @Test func tokenResponses() async throws {
        let clock = ManualClock()
        var granted = 0
        for input in try Self.inputs(.tokenResponses, seed: 3) {
            let head = input.prefix { $0 != UInt8(ascii: " ") }
            let status = Int(String(decoding: head, as: UTF8.self)) ?? 200
            let body = Array(input.dropFirst(head.count + 1))
            let transport = ScriptedTransport(.response(status: status, body: body))
            let endpoint = try TokenEndpoint(
                "https://login.example.com/token", client: .publicClient(clientID: "id"),
                transport: transport, clock: clock)
            var seen: [Any] = []
            do throws(NetworkError) {
                // What the request had and the response repeats is not shown.
                let grant = try await endpoint.grant(
                    Corpus.marks.map { ("token", $0) }, deadline: .after(.seconds(1), clock: clock))
                granted += 1
                seen.append(grant)
                #expect((200..<300).contains(status))
                #expect(grant.accessToken.exposed.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
                if let lifetime = grant.expiresIn {
                    #expect(lifetime <= .seconds(253_402_300_799))
                }
            } catch {
                #expect(error.code.concernsCredential)
                seen += [error, error.underlying as Any]
            }
            if Self.leaks(seen) { Issue.record("printed: \(Self.printed(seen))") }
            #expect(transport.requests.count == 1)
        }
        #expect(granted > 50)
    }

    @Test func keySets() throws {
        var (read, published) = (0, 0)
        for input in try Self.inputs(.keySets, seed: 4) {
            var seen: [Any] = []
            for provenance in [JSONWebKeySet.Provenance.published, .confidential] {
                do throws(JSONWebKeyError) {
                    let set = try JSONWebKeySet(jsonBytes: input, provenance: provenance)
                    #expect(set.keys.count + set.omissions.count <= JSONWebKeySet.maximumKeys)
                    seen += [set, set.keys, set.omissions]
                    read += set.keys.count
                    guard provenance == .published else { continue }
                    published += set.keys.count
                    #expect(set.keys.allSatisfy { $0.kind != .secret && !$0.isPrivate })
                } catch { seen.append(error) }
            }
            if Self.leaks(seen) { Issue.record("printed: \(Self.printed(seen))") }
        }
        #expect(read > published)
        #expect(published > 20)
    }

    /// Sizes beyond the limits, which would make the files too long to read.
    @Test func lengthIsBounded() {
        let canary = Corpus.canary
        let lines = [
            "Bearer realm=\"" + String(repeating: canary, count: 3000) + "\"",
            String(repeating: "B", count: 20_000), "Bearer " + String(repeating: "a", count: 20_000),
            "Bearer " + String(repeating: "a=b,", count: 5000), String(repeating: "Basic, ", count: 3000),
            String(repeating: ",", count: 20_000), String(repeating: " ", count: 20_000),
            "Bearer realm=\"" + String(repeating: "\\\"", count: 9000),
            "Bearer realm=\"" + String(repeating: "\\", count: 17_000),
            "Bearer " + String(repeating: "=", count: 17_000), String(repeating: "a=", count: 9000),
            String(repeating: "\"", count: 17_000), String(repeating: "a ", count: 9000),
            "Bearer realm=\"" + String(repeating: "x", count: 16_370) + canary,
        ]
        for line in lines {
            let challenges = AuthenticationChallenge.parse(lines: [line])
            #expect(challenges.count <= 64)
            #expect(challenges.allSatisfy { $0.scheme.utf8.count <= 16_384 })
            #expect(!Self.leaks(challenges))
            for token in [line, "e30.\(line).", "\(line).e30.", line + "." + line + "." + line] {
                let error = #expect(throws: JSONWebTokenError.self) {
                    try JSONWebToken(decoding: Secret(token))
                }
                #expect(error?.code == .malformed)
            }
        }
    }
}
