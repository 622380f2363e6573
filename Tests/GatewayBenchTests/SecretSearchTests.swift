import Foundation
import Testing

/// The search of a run's output for its secrets finds what was planted, and says nothing of it.
@Suite(.timeLimit(.minutes(1))) struct SecretSearchTests {
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "scripts/check-secrets.sh")
        .path

    private static let secrets: [(kind: String, secret: String)] = [
        ("access token", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJwbGFudGVkIn0.cGxhbnRlZC1zaWduYXR1cmU"),
        ("client secret", "planted/secret+with: 100%"),
        (
            "private key",
            "-----BEGIN PRIVATE KEY-----\nUExBTlRFRFBMQU5URURQTEFOVEVE\n-----END PRIVATE KEY-----"
        ),
    ]

    /// Searches an output of some lines.
    private func search(
        _ lines: [String], ledger: [(kind: String, secret: String)] = secrets, _ options: [String] = []
    ) async throws -> BenchCommand {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = [folder.appending(path: "output").path, folder.appending(path: "ledger").path]
        try (lines.joined(separator: "\n") + "\n").write(toFile: files[0], atomically: false, encoding: .utf8)
        let noted = ledger.map { entry in
            entry.kind + "\t"
                + entry.secret.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
                .joined() + "\n"
        }
        try noted.joined().write(toFile: files[1], atomically: false, encoding: .utf8)
        return try await BenchCommand.run(files + options, program: Self.script)
    }

    @Test func aCleanOutputPasses() async throws {
        let run = try await search(["all is well", "<redacted>", "eyJhbGciOiJub25lIn0", "planted/secret"])
        #expect(run.status == 0, "\(run.error)")
        #expect(run.out.contains("3 of 3 kinds, 0 finding(s)"))
    }

    @Test(arguments: ["plain", "query", "form", "Basic", "URL-safe Base64", "JSON", "signature", "key"])
    func whatWasPlantedIsFound(form: String) async throws {
        let secret = Self.secrets[1].secret
        let unreserved = CharacterSet.alphanumerics
        let (kind, line): (String, String) =
            switch form {
            case "plain": ("client secret", "value=\(secret)!")
            case "query":
                (
                    "client secret",
                    "?s=" + (secret.addingPercentEncoding(withAllowedCharacters: unreserved) ?? "")
                )
            case "form":
                (
                    "client secret",
                    (secret.addingPercentEncoding(withAllowedCharacters: unreserved) ?? "")
                        .replacing("%20", with: "+")
                )
            case "Basic": ("client secret", "Basic " + Data("id:\(secret)".utf8).base64EncodedString())
            case "URL-safe Base64":
                (
                    "client secret",
                    Data("\(secret)".utf8).base64EncodedString().replacing("+", with: "-")
                        .replacing("/", with: "_").replacing("=", with: "")
                )
            case "JSON": ("client secret", "{\"s\":\"" + secret.replacing("/", with: "\\/") + "\"}")
            case "signature": ("access token", "…cGxhbnRlZC1zaWduYXR1cmU")
            default: ("private key", "| UExBTlRFRFBMQU5URURQTEFOVEVE")
            }
        let run = try await search(["a line", "another", line, "the last"])
        #expect(run.status == 1)
        let said = run.out + run.error
        #expect(said.contains(":3: a secret is printed: \(kind)"), "\(run.error)")
        #expect(run.out.contains("1 finding(s)"))
        for entry in Self.secrets {
            for part in entry.secret.split(whereSeparator: { ".\n ".contains($0) }) where part.count > 8 {
                #expect(part.hasPrefix("-----") || !said.contains(part))
            }
        }
    }

    @Test func anEmptyLedgerIsAFailureUnlessItMayBe() async throws {
        #expect(try await search(["a line"], ledger: []).status == 3)
        #expect(try await search(["a line"], ledger: [], ["--may-be-empty"]).status == 0)
        #expect(try await BenchCommand.run(["/nowhere", "/nowhere"], program: Self.script).status == 2)
        #expect(try await BenchCommand.run(["--help"], program: Self.script).status == 0)
    }
}
