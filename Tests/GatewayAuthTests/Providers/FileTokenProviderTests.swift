import Foundation
import GatewayAuth
import GatewayCore
import GatewayTesting
import Testing

/// Tokens that somebody else keeps in a file.
@Suite(.timeLimit(.minutes(1))) struct FileTokenProviderTests {
    private let directory = TemporaryDirectory()
    private let clock = ManualClock()

    /// Projects a token as Kubernetes does: a directory of its own, and a link that is swapped for another.
    private func project(_ token: String, _ version: String) throws {
        let files = FileManager.default
        try files.createDirectory(
            atPath: directory.path("..\(version)"), withIntermediateDirectories: false)
        try directory.write(token, "..\(version)/token")
        try files.createSymbolicLink(
            atPath: directory.path("..data_tmp"), withDestinationPath: "..\(version)")
        #expect(rename(directory.path("..data_tmp"), directory.path("..data")) == 0)
        if !directory.names.contains("token") {
            try files.createSymbolicLink(
                atPath: directory.path("token"), withDestinationPath: "..data/token")
        }
    }

    private func coordinator() -> TokenRefreshCoordinator {
        TokenRefreshCoordinator(
            provider: FileTokenProvider(path: directory.path("token")), policy: .impatient, clock: clock,
            random: SeededRandomSource(seed: 1))
    }

    @Test func aProjectedTokenIsReadAcrossTheSwap() async throws {
        try project("first\n", "2026_01")
        let coordinator = coordinator()
        let lease = try await coordinator.token()
        #expect(lease.accessToken == Secret("first"))
        try project("second", "2026_02")
        #expect(try await coordinator.rejected(lease).accessToken == Secret("second"))
    }

    @Test func aRejectedTokenThatIsStillThereIsAFailureInPassing() async throws {
        try project("first", "2026_01")
        let coordinator = coordinator()
        let lease = try await coordinator.token()
        let result = await outcome { () throws(NetworkError) in try await coordinator.rejected(lease) }
        #expect(result.code == .tokenUnavailable)
        try project("second", "2026_02")
        clock.advance(by: .seconds(60))
        #expect(try await coordinator.token().accessToken == Secret("second"))
    }

    @Test(arguments: ["", "\n", "eyJhbGciOiJub25lIn0.eyJ", "eyJhbGciOiJub25lIn0.e30.", "a\u{0}b"])
    func whatIsEmptyOrCutOffIsAFailureInPassing(text: String) async throws {
        try directory.write(text, "token")
        let coordinator = coordinator()
        #expect(
            await outcome { () throws(NetworkError) in try await coordinator.token() }.code
                == .tokenUnavailable)
        try directory.write("whole", "token")
        clock.advance(by: .seconds(60))
        #expect(try await coordinator.token().accessToken == Secret("whole"))
    }

    /// What no moment mends: it is not waited for, and not read again.
    @Test(arguments: [
        ("Bearer first", "`Bearer`"), ("bearer first\n", "`Bearer`"), ("\u{FEFF}first", "byte order mark"),
        ("a b", "character"), ("first\nsecond", "character"),
    ])
    func whatIsNoTokenIsAMistake(text: String, fault: String) async throws {
        try directory.write(text, "token")
        let coordinator = coordinator()
        let result = await outcome { () throws(NetworkError) in try await coordinator.token() }
        #expect(result.code == .credentialMisconfigured)
        guard case .failure(let error) = result else { return }
        #expect(error.message.contains(directory.path("token")) && error.message.contains(fault))
        #expect(!error.message.contains("first"))
        try directory.write("whole", "token")
        clock.advance(by: .seconds(60))
        #expect(
            await outcome { () throws(NetworkError) in try await coordinator.token() }.code
                == .credentialMisconfigured)
        coordinator.signIn()
        #expect(try await coordinator.token().accessToken == Secret("whole"))
    }

    /// As editors of other systems write text.
    @Test func textInUTF16IsAMistake() async throws {
        try Data([0xFF, 0xFE, 0x61, 0x00]).write(to: url)
        let coordinator = coordinator()
        #expect(
            await outcome { () throws(NetworkError) in try await coordinator.token() }.code
                == .credentialMisconfigured)
    }

    @Test func whatIsNoFileOrTooLargeIsAFailureInPassing() async throws {
        let coordinator = coordinator()
        for make in [
            {}, { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false) },
            { #expect(mkfifo(directory.path("token"), 0o600) == 0) },
            { try directory.write(String(repeating: "a", count: 20_000), "token") },
        ] as [() throws -> Void] {
            try? FileManager.default.removeItem(at: url)
            try make()
            #expect(
                await outcome { () throws(NetworkError) in try await coordinator.token() }.code
                    == .tokenUnavailable)
            clock.advance(by: .seconds(60))
        }
    }

    private var url: URL { URL(fileURLWithPath: directory.path("token")) }
}
