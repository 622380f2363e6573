import Foundation
import GatewayJSON
import Testing

@testable import GatewayTesting

/// The command line of `gateway-chaos`, and its control socket.
@Suite(.timeLimit(.minutes(1))) struct ChaosCommandTests {
    private static func socketPath() -> String { "/tmp/gateway-chaos-\(UUID().uuidString).sock" }

    private static func json(_ text: String) throws -> JSONValue {
        try JSONValue(jsonBytes: Array(text.utf8))
    }

    @Test func helpIsNoError() async throws {
        for arguments in [["--help"], ["serve", "-h"], ["set", "--help"]] {
            let run = try await ChaosCommand.run(arguments)
            #expect(run.status == 0 && run.out.hasPrefix("usage: gateway-chaos serve") && run.error.isEmpty)
            #expect(
                run.out.split(separator: "\n", omittingEmptySubsequences: false).allSatisfy {
                    $0.count <= 120
                })
        }
    }

    @Test(arguments: [
        [], ["nonsense"], ["serve"], ["serve", "--to"], ["serve", "--to", "0"], ["serve", "--to", "65536"],
        ["serve", "--to", "1", "--nonsense", "1"], ["serve", "--to", "1", "mode=nonsense"],
        ["serve", "--to", "1", "delay=5"], ["serve", "--to", "1", "delay=-1ms"],
        ["serve", "--to", "1", "delay=3601s"], ["serve", "--to", "1", "delay=nans"],
        ["serve", "--to", "1", "sideways.delay=1ms"], ["serve", "--to", "1", "rate=0"],
        ["serve", "--to", "1", "rate=99999999999999999999"], ["serve", "--to", "1", "loss=1"],
        ["serve", "--to", "1", "reset=2"], ["serve", "--to", "1", "stall=yes"],
        ["serve", "--to", "1", "profile=5g"], ["serve", "--to", "1", "--seed", "-1"], ["show"],
        ["show", "--control"], ["set", "delay=1ms", "--nonsense"],
    ])
    func wrongUsageIsTwo(arguments: [String]) async throws {
        let run = try await ChaosCommand.run(arguments)
        #expect(run.status == 2 && run.out.isEmpty)
        #expect(run.error.hasPrefix("gateway-chaos: ") && run.error.contains("--help"))
    }

    @Test func whatCannotBeUsedIsThree() async throws {
        let path = Self.socketPath()
        let absent = try await ChaosCommand.run(["show", "--control", path])
        #expect(absent.status == 3 && absent.error.contains(path))
        let long = "/tmp/" + String(repeating: "x", count: 200)
        #expect(try await ChaosCommand.run(["serve", "--to", "1", "--control", long]).status == 3)
        let server = try ByteServer.echo()
        defer { server.stop() }
        let taken = try await ChaosCommand.run(["serve", "--to", "1", "--port", "\(server.port)"])
        #expect(taken.status == 3 && taken.error.contains("127.0.0.1:\(server.port)"), "\(taken.error)")
    }

    @Test func aRunningProxyIsControlled() async throws {
        let path = Self.socketPath()
        let proxy = try await RawClient.blocking {
            try ChaosCommand.Running(["serve", "--to", "9", "--control", path, "down.delay=1.5s"])
        }
        let ready = try Self.json(proxy.text("out"))
        #expect(ready["to"]?.int == 9 && ready["control"]?.string == path && (ready["port"]?.int ?? 0) > 0)
        func settings(_ words: String...) async throws -> JSONValue? {
            let run = try await ChaosCommand.run(words + ["--control", path])
            #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
            return try Self.json(run.out)["settings"]
        }
        #expect(try await settings("show")?["down"]?["delay"]?.string == "1500ms")
        let changed = try await settings("set", "up.rate=64k", "mode=half-open", "cut=1M", "loss=0.5")
        #expect(changed?["up"]?["rate"]?.int == 64_000 && changed?["down"]?["rate"] == .null)
        #expect(changed?["mode"]?.string == "half-open" && changed?["down"]?["cut"]?.int == 1_000_000)
        #expect(changed?["down"]?["delay"]?.string == "1500ms" && changed?["up"]?["loss"]?.double == 0.5)
        // A command that is wrong in one part changes nothing.
        for words in [["set", "delay=1ms", "nonsense=1"], ["set"], ["close", "softly"], ["show", "more"]] {
            let run = try await ChaosCommand.run(words + ["--control", path])
            #expect(run.status == 1)
            let response = try Self.json(run.out)
            #expect(response["ok"]?.bool == false && response["error"]?.string?.isEmpty == false)
        }
        #expect(try await settings("show") == changed)
        let restored = try await settings("reset")
        #expect(restored?["down"]?["delay"]?.string == "1500ms" && restored?["mode"]?.string == "open")
        // A second proxy does not take the socket over.
        #expect(try await ChaosCommand.run(["serve", "--to", "9", "--control", path]).status == 3)
        #expect(try await ChaosCommand.run(["shutdown", "--control", path]).status == 0)
        #expect(try await RawClient.blocking { proxy.end() }.status == 0)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(arguments: [SIGTERM, SIGINT]) func signalsEndIt(signal: Int32) async throws {
        let path = Self.socketPath()
        let end = try await RawClient.blocking {
            try ChaosCommand.Running(["serve", "--to", "9", "--control", path]).end(signal)
        }
        #expect(end.status == 0 && end.error.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    /// A socket that a killed proxy left is replaced.
    @Test func aSocketThatIsLeftIsReplaced() async throws {
        let path = Self.socketPath()
        let killed = try await RawClient.blocking {
            try ChaosCommand.Running(["serve", "--to", "9", "--control", path]).end(SIGKILL)
        }
        #expect(killed.status == -1 && FileManager.default.fileExists(atPath: path))
        let end = try await RawClient.blocking {
            try ChaosCommand.Running(["serve", "--to", "9", "--control", path]).end(SIGTERM)
        }
        #expect(end.status == 0 && end.out.contains("\"port\""), "\(end.error)")
    }

    @Test func endOfInputEndsIt() async throws {
        let run = try await ChaosCommand.run(["serve", "--to", "9", "--until-eof"])
        #expect(run.status == 0)
    }

    /// The profiles of the command are the conditions of the test kit.
    @Test func profilesAreTheSame() async throws {
        let path = Self.socketPath()
        let proxy = try await RawClient.blocking {
            try ChaosCommand.Running(["serve", "--to", "9", "--control", path])
        }
        for (name, conditions) in [
            ("perfect", ChaosProxy.Conditions.perfect), ("3g", .thirdGeneration), ("very-bad", .veryBad),
            ("total-loss", .blackHole),
        ] {
            let named = try await ChaosCommand.run(["set", "--control", path, "profile=\(name)"])
            let spelled = try await ChaosCommand.run(["set", "--control", path] + conditions.assignments)
            #expect(named.out == spelled.out && named.status == 0)
        }
        _ = try await RawClient.blocking { proxy.end(SIGTERM) }
    }
}
