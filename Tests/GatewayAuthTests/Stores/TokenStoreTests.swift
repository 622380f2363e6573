import Foundation
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayAuth

/// Records, and the stores of one machine.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct TokenStoreTests {
    private let directory = TemporaryDirectory()
    private let key = TokenKey(issuer: "https://login.example.com", subject: "s3cr3t-name")

    private func record(_ generation: UInt64, _ token: String = "t0k3n") -> StoredToken {
        StoredToken(
            key: key, generation: generation, login: 7,
            content: .granted(
                .init(
                    accessToken: Secret(token), refreshToken: Secret("r3fr3sh"), issuedAt: .seconds(5),
                    expiresAt: .seconds(305), scopes: ["a"])))
    }

    private func code<Value>(_ body: () async throws(NetworkError) -> Value) async -> NetworkError.Code? {
        await outcome(body).code
    }

    // MARK: Conformance

    @Test func memoryConforms() async {
        let failures = await TokenStoreConformance { [MemoryTokenStore()] }.failures()
        #expect(failures == [])
    }

    @Test func filesConform() async {
        let (directory, rounds) = (directory, Counter())
        let failures = await TokenStoreConformance {
            let path = directory.path("\(rounds.next())")
            return [FileTokenStore(directory: path), FileTokenStore(directory: path)]
        }.failures()
        #expect(failures == [])
    }

    /// The suite finds what is wrong, each by its check.
    @Test(arguments: StoreFault.allCases) func theSuiteFindsWhatIsWrong(fault: StoreFault) async {
        let failures = await TokenStoreConformance { [FaultyTokenStore(fault)] }.failures()
        #expect(failures.contains { $0.hasPrefix(fault.rawValue + ":") }, "\(failures)")
    }

    // MARK: Records

    @Test func aRecordReadsBack() throws {
        let bytes = record(3).encoded()
        #expect(try StoredToken(bytes, for: key) == record(3))
        // Version 1 as it is on disks already: it must be read for ever.
        let old = """
            {"version":1,"key":"\(key.canonical)","generation":3,"login":7,"state":"granted",\
            "access_token":"t0k3n","refresh_token":"r3fr3sh","issued_at_ms":5000,"expires_at_ms":305000,\
            "scopes":["a"]}
            """
        #expect(String(decoding: bytes, as: UTF8.self) == old)
    }

    @Test func aTornRecordIsNone() {
        let bytes = record(3).encoded()
        for length in 0..<bytes.count {
            #expect(throws: StoredToken.ReadingFailure.torn) {
                try StoredToken.read(Array(bytes[..<length]), for: key)
            }
        }
    }

    @Test func noBytesCrashTheReader() throws {
        let bytes = record(3).encoded()
        let random = SeededRandomSource(seed: TestSeed.value(11))
        for _ in 0..<3000 {
            var broken = bytes
            for _ in 0...random.next() % 3 {
                broken[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            if let read = try? StoredToken(broken, for: key) { #expect(read.key == key.canonical) }
        }
    }

    @Test func whatIsForeignIsNotRead() {
        let text = String(decoding: record(3).encoded(), as: UTF8.self)
        for (old, new) in [
            (#""version":1"#, #""version":2"#), ("login.example.com", "evil.example.com"),
            (#""granted""#, #""lent""#),
        ] {
            #expect(throws: StoredToken.ReadingFailure.foreign) {
                try StoredToken.read(Array(text.replacing(old, with: new).utf8), for: key)
            }
        }
    }

    @Test func nothingPrintsASecret() async throws {
        var text = ""
        let store = FileTokenStore(directory: directory.path)
        let lock = try await store.lock(key, deadline: .after(.seconds(60)))
        for value in [record(3), record(3).content, record(3).grant as Any, store, lock] as [Any] {
            text += "\(value)" + String(reflecting: value)
            dump(value, to: &text)
        }
        let foreign = await outcome { () throws(NetworkError) in
            try StoredToken(record(3).encoded(), for: .default)
        }
        text += "\(foreign)"
        for mark in ["t0k3n", "r3fr3sh"] { #expect(!text.contains(mark)) }
    }

    // MARK: Files

    @Test func filesAreForTheirOwnerAndTellNoName() async throws {
        let path = directory.path("inner")
        let store = FileTokenStore(directory: path)
        #expect(try await store.store(record(1), for: key, replacing: 0))
        await (try await store.lock(key, deadline: .after(.seconds(60)))).release()
        #expect(directory.mode("inner") == 0o700)
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        #expect(Set(names) == Set(["json", "lock", "mark", "swap"].map { key.digest + "." + $0 }))
        for name in names {
            #expect(directory.mode("inner/" + name) == 0o600)
            #expect(!name.contains("s3cr3t"))
        }
        #expect(key.digest.utf8.count == 64)
        #expect(TokenKey.default.digest != key.digest)
    }

    @Test func aDirectoryThatOthersMayWriteToIsRefused() async throws {
        for mode in [0o720, 0o702, 0o777] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: directory.path)
            let store = FileTokenStore(directory: directory.path)
            #expect(await code { () throws(NetworkError) in try await store.load(key) } == .misconfigured)
            let stored = await code { () throws(NetworkError) in
                try await store.store(record(1), for: key, replacing: 0)
            }
            #expect(stored == .misconfigured)
            #expect(directory.names.isEmpty)
        }
    }

    @Test func aDirectoryThatIsALinkOrNoneIsRefused() async throws {
        let inner = TemporaryDirectory()
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("link"), withDestinationPath: inner.path)
        try directory.write("", "file")
        for name in ["link", "file"] {
            let store = FileTokenStore(directory: directory.path(name))
            #expect(await code { () throws(NetworkError) in try await store.load(key) } == .misconfigured)
        }
        let missing = FileTokenStore(directory: directory.path("none/inner"))
        #expect(await code { () throws(NetworkError) in try await missing.load(key) } == .tokenStoreFailed)
        #expect(inner.names.isEmpty)
    }

    @Test(arguments: ["json", "swap", "lock"]) func linksAreNotFollowed(file: String) async throws {
        let victim = TemporaryDirectory()
        try victim.write(String(decoding: record(1).encoded(), as: UTF8.self), "victim")
        try FileManager.default.createSymbolicLink(
            atPath: directory.path(key.digest + "." + file), withDestinationPath: victim.path("victim"))
        let store = FileTokenStore(directory: directory.path)
        let result = await code { () throws(NetworkError) in
            if file == "json" { _ = try await store.load(key) }
            if file == "swap" { _ = try await store.store(record(2), for: key, replacing: 0) }
            if file == "lock" { _ = try await store.lock(key, deadline: .after(.seconds(1))) }
        }
        #expect(result == .misconfigured)
        #expect(try victim.read("victim") == String(decoding: record(1).encoded(), as: UTF8.self))
    }

    @Test func aLinkInThePlaceOfTheNextRecordIsReplacedAndNotWrittenThrough() async throws {
        let victim = TemporaryDirectory()
        try victim.write("precious", "victim")
        try FileManager.default.createSymbolicLink(
            atPath: directory.path(key.digest + ".new"), withDestinationPath: victim.path("victim"))
        let store = FileTokenStore(directory: directory.path)
        #expect(try await store.store(record(1), for: key, replacing: 0))
        #expect(try victim.read("victim") == "precious")
        #expect(try await store.load(key) == record(1))
    }

    @Test func aFileThatOthersMayReadIsRefused() async throws {
        let store = FileTokenStore(directory: directory.path)
        let text = String(decoding: record(1).encoded(), as: UTF8.self)
        for mode in [0o640, 0o604, 0o660] {
            try directory.write(text, key.digest + ".json", mode: mode)
            #expect(await code { () throws(NetworkError) in try await store.load(key) } == .misconfigured)
        }
    }

    @Test func aPipeOrADirectoryInTheRecordsPlaceIsRefused() async throws {
        let store = FileTokenStore(directory: directory.path)
        mkfifo(directory.path(key.digest + ".json"), 0o600)
        #expect(await code { () throws(NetworkError) in try await store.load(key) } == .misconfigured)
        try FileManager.default.removeItem(atPath: directory.path(key.digest + ".json"))
        try FileManager.default.createDirectory(
            atPath: directory.path(key.digest + ".json"), withIntermediateDirectories: false)
        #expect(await code { () throws(NetworkError) in try await store.load(key) } == .misconfigured)
    }

    @Test func bytesThatAreNoRecordAreALostRecord() async throws {
        let store = FileTokenStore(directory: directory.path)
        let whole = String(decoding: record(4).encoded(), as: UTF8.self)
        var generation: UInt64 = 1
        for text in ["", "{", String(whole.dropLast()), String(repeating: "\0", count: 400), "[]", "null"] {
            try directory.write(text, key.digest + ".json")
            let found = try await store.load(key)
            #expect(found?.content == .lost)
            #expect(found?.generation == generation)
            #expect(!(try await store.store(record(generation + 4), for: key, replacing: 0)))
            #expect(try await store.store(record(generation + 4), for: key, replacing: generation))
            generation += 4
            #expect(try await store.load(key) == record(generation))
        }
    }

    @Test func aForeignRecordIsLeftAlone() async throws {
        let store = FileTokenStore(directory: directory.path)
        let text = String(decoding: record(4).encoded(), as: UTF8.self)
            .replacing(#""version":1"#, with: #""version":2"#)
        try directory.write(text, key.digest + ".json")
        let result = await code { () throws(NetworkError) in
            try await store.store(record(5), for: key, replacing: 0)
        }
        #expect(result == .misconfigured)
        #expect(try directory.read(key.digest + ".json") == text)
    }

    @Test func aRecordThatIsTooLargeIsNotStored() async throws {
        let store = FileTokenStore(directory: directory.path)
        let large = record(1, String(repeating: "x", count: StoredToken.maximumBytes))
        let result = await code { () throws(NetworkError) in
            try await store.store(large, for: key, replacing: 0)
        }
        #expect(result == .tokenStoreFailed)
        #expect(try await store.load(key) == nil)
    }

    @Test func aWriteThatCannotBeMadeIsAnErrorAndChangesNothing() async throws {
        let store = FileTokenStore(directory: directory.path)
        #expect(try await store.store(record(1), for: key, replacing: 0))
        // A directory in the next record's place cannot be unlinked.
        try FileManager.default.createDirectory(
            atPath: directory.path(key.digest + ".new"), withIntermediateDirectories: false)
        let result = await code { () throws(NetworkError) in
            try await store.store(record(2), for: key, replacing: 1)
        }
        #expect(result == .tokenStoreFailed)
        #expect(try await store.load(key) == record(1))
    }

    @Test func locksAreWaitedForOnTheClock() async throws {
        let clock = ManualClock()
        let store = FileTokenStore(directory: directory.path, clock: clock)
        let first = try await store.lock(key, deadline: .after(.seconds(1), clock: clock))
        let second = Task { try await store.lock(key, deadline: .after(.seconds(60), clock: clock)) }
        for _ in 0..<10 {
            await clock.waitForSleepers(1)
            clock.advanceToNextSleeper()
        }
        await clock.waitForSleepers(1)
        await first.release()
        clock.advanceToNextSleeper()
        #expect(try await second.value.isHeld)
        #expect(clock.requestedDelays.allSatisfy { $0 <= .milliseconds(50) })
    }
}
