import Foundation
import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayAuth

/// Records with numbers that nobody has written in good faith.
@Suite(.timeLimit(.minutes(1))) struct HostileRecordTests {
    private let directory = TemporaryDirectory()
    private let rig = StoredRig()
    private let key = TokenKey.default

    private func text(
        generation: String = "3", login: String = "7", issued: String = "5000", expires: String = "305000",
        refresh: String = #""r9""#, scopes: String = #"["a"]"#
    ) -> String {
        """
        {"version":1,"key":"\(key.canonical)","generation":\(generation),"login":\(login),"state":"granted",\
        "access_token":"t0k3n","refresh_token":\(refresh),"issued_at_ms":\(issued),"expires_at_ms":\(expires),\
        "scopes":\(scopes)}
        """
    }

    private static let generations = [
        "18446744073709551615", "18446744073709551614", "9223372036854775807", "1000000000000000000", "0",
        "-1", "1.5", "1e999", "18446744073709551616", "null", "\"3\"",
    ]

    @Test(arguments: generations) func aGenerationOutOfRangeIsRefusedBeforeARequest(number: String)
        async throws
    {
        try directory.write(text(generation: number), key.digest + ".json")
        let process = rig.start(FileTokenStore(directory: directory.path))
        let code = await rig.code { () throws(NetworkError) in try await process.token() }
        #expect(code == .reauthenticationRequired)
        #expect(rig.server.count == 0)
        // Signing in mends it.
        process.signIn(with: TokenGrant(accessToken: Secret("in"), refreshToken: Secret("r0")))
        try await process.waitUntilStored()
        #expect(try await rig.secret(rig.start(FileTokenStore(directory: directory.path)).token()) == "in")
    }

    /// The last generation can be read, and nothing can follow it.
    @Test(arguments: [0, 1] as [UInt64]) func theLastGenerationIsFollowedByNone(less: UInt64) async throws {
        let last = StoredToken.lastGeneration - less
        try directory.write(text(generation: "\(last)"), key.digest + ".json")
        let process = rig.start(FileTokenStore(directory: directory.path))
        let code = await rig.code { () throws(NetworkError) in try await process.token() }
        #expect(code == (less == 0 ? .tokenStoreFailed : .reauthenticationRequired))
        #expect(rig.server.used == (less == 0 ? [] : ["r9"]))
        let store = FileTokenStore(directory: directory.path)
        let beyond = StoredToken(key: key, generation: last + 1 + less, login: 1, content: .signedIn)
        #expect(
            await outcome { () throws(NetworkError) in
                try await store.store(beyond, for: key, replacing: last)
            }.code == .tokenStoreFailed)
    }

    /// A store of somebody's own may give anything.
    @Test(arguments: [0, 1, 2] as [UInt64]) func aStoreThatGivesSuchARecordCausesNoRequest(
        less: UInt64
    ) async {
        struct Hostile: TokenStore {
            let record: StoredToken
            func load(_ key: TokenKey) async throws(NetworkError) -> StoredToken? { record }
            func store(
                _ record: StoredToken, for key: TokenKey, replacing generation: UInt64
            ) async throws(NetworkError) -> Bool { false }
            func lock(_ key: TokenKey, deadline: Deadline) async throws(NetworkError) -> any TokenStoreLock {
                try await MemoryTokenStore().lock(key, deadline: deadline)
            }
        }
        let grant = StoredToken.Grant(
            accessToken: Secret("a"), refreshToken: Secret("b"), issuedAt: .seconds(Int64.min),
            expiresAt: .seconds(Int64.max))
        let record = StoredToken(key: key, generation: .max - less, login: .max, content: .granted(grant))
        let process = rig.start(Hostile(record: record))
        #expect(
            await rig.code { () throws(NetworkError) in try await process.token() }
                == .reauthenticationRequired)
        #expect(rig.server.count == 0)
    }

    private static let times = [
        "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1e999", "-1e999", "0.5",
        "null", "\"5\"", "8796093023000000",
    ]

    @Test(arguments: times) func aTimeOutOfRangeIsADamagedRecord(number: String) {
        for text in [text(issued: number), text(expires: number)] {
            #expect(throws: StoredToken.ReadingFailure.torn) {
                try StoredToken.read(Array(text.utf8), for: key)
            }
        }
    }

    @Test func aMemberOfTheWrongKindIsADamagedRecord() {
        for text in [text(refresh: "null"), text(refresh: "5"), text(scopes: "5"), text(scopes: "[5]")] {
            #expect(throws: StoredToken.ReadingFailure.torn) {
                try StoredToken.read(Array(text.utf8), for: key)
            }
        }
    }

    /// Times within the range may still be absurd: they are used without a trap, and no token lives longer for them.
    @Test(arguments: [
        ("8796093022208000", "-8796093022208000"), ("-8796093022208000", "8796093022208000"),
        ("8796093022208000", "8796093022208000"), ("0", "0"),
    ])
    func absurdTimesAreNoTrap(issued: String, expires: String) async throws {
        try directory.write(text(issued: issued, expires: expires), key.digest + ".json")
        let process = rig.start(FileTokenStore(directory: directory.path))
        _ = await rig.code { () throws(NetworkError) in try await process.token() }
        rig.clock.advance(by: .seconds(86_401))
        let code = await rig.code { () throws(NetworkError) in try await process.token() }
        #expect(code == .reauthenticationRequired, "r9 is not what the server knows")
    }

    @Test(arguments: [Int64.min, -1, 0, Int64.max]) func durationsOfAnyLengthAreStored(seconds: Int64) throws
    {
        let grant = StoredToken.Grant(
            accessToken: Secret("a"), issuedAt: .seconds(seconds), expiresAt: .seconds(seconds))
        let bytes = StoredToken(key: key, generation: 1, login: 0, content: .granted(grant)).encoded()
        let read = try StoredToken(bytes, for: key)
        #expect(StoredToken(key: key, generation: 1, login: 0, content: read.content).encoded() == bytes)
    }
}
