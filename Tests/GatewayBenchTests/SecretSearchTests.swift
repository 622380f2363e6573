import Foundation
import GatewayTesting
import Testing

/// The search of a run's output for its secrets finds what was planted, and does not print it.
@Suite(.timeLimit(.minutes(1))) struct SecretSearchTests {
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "scripts/check-secrets.sh")
        .path

    private static let header = "eyJhbGciOiJub25lIn0"
    private static let payload = "eyJzdWIiOiJwbGFudGVkIn0"
    private static let signature = "cGxhbnRl_C1zaWdu-XR1cmU"
    private static let token = "\(header).\(payload).\(signature)"
    /// Its Base64 has both `+` and `/` at every alignment.
    private static let password = "planted/secret+with: 100% \"\\ é😀 ~~??>>~?>"
    private static let keyLines = ["UExBTlRFRFBMQU5URURQTEFOVEVE", "UExBTlRF/FBMQU5U+URQTEFO"]
    private static let key =
        "-----BEGIN PRIVATE KEY-----\n\(keyLines[0])\n\(keyLines[1])\n-----END PRIVATE KEY-----\n"
    private static let verse = "short lines\nof a\npoem"
    private static let words = "only plain words"
    private static let secrets: [(kind: String, secret: String)] = [
        ("access token", token), ("client secret", password), ("private key", key), ("content", verse),
        ("assertion", words), ("refresh token", "15 bytes: short"),
    ]

    /// A line that has a secret, and what is said of it.
    private struct Plant {
        let kind: String
        let form: String
        let line: Data
    }

    private static func plants(_ kind: String, _ form: String, _ lines: [String]) -> [Plant] {
        lines.map { Plant(kind: kind, form: form, line: Data($0.utf8)) }
    }

    private static let plain: [[Plant]] = [
        plants(
            "client secret", "as it is",
            [
                password, "\(password) begins", "at the end: \(password)", "value=\(password)!",
                "before CR LF: \(password)\r",
                "CR\r\(password)",
                String(repeating: "a long line ", count: 10_000) + password
                    + String(repeating: "-", count: 99_999),
            ]),
        plants("assertion", "as it is", (0..<8).map { String(repeating: "=", count: $0) + words }),
        [
            Plant(
                kind: "client secret", form: "as it is",
                line: Data([0, 0xFF, 0x80]) + Data(password.utf8) + Data([0xC3, 0, 0xFE]))
        ],
        plants("access token", "as it is", ["Authorization: Bearer \(token)", standard(token)]),
        plants("access token", "in part", ["…\(signature)", "\(payload)…", "\(header).\(payload)."]),
        plants("private key", "in part", [keyLines[0], "  | \(keyLines[1])", urlSafe(keyLines[1])]),
    ]

    private static let inBase64: [[Plant]] = [
        plants("client secret", "in Base64", alignments.flatMap { [$0, withoutPadding($0)] }),
        plants("assertion", "in Base64", ["", "i", "id"].map { base64($0 + words + "~~~") }),
        plants("client secret", "in Base64", alignments.map(urlSafe).flatMap { [$0, withoutPadding($0)] }),
        plants(
            "client secret", "in Base64",
            [
                "Basic " + base64("id:\(password)"), "Basic " + base64("id:\(form(password))"),
                "(" + base64("{\"secret\":\"\(password)\",\"other\":true}") + ")", mixed(base64(password)),
            ]),
        plants("client secret", "percent-encoded", alignments.map { percent($0) }),
        plants("client secret", "escaped", [alignments[1].replacing("/", with: "\\/")]),
        plants("access token", "in Base64", [base64("Bearer \(token)")]),
        plants("private key", "in Base64", [base64(key)]),
    ]

    private static let encoded: [[Plant]] = [
        plants(
            "client secret", "percent-encoded",
            [
                percent(password), percent(password, keeping: .urlQueryAllowed),
                percent(password, keeping: []),
                percent(password).replacing("%2F", with: "%2f").replacing("%3A", with: "%3a"),
                percent(percent(password)), percent(json(password)),
                "a=b+c&secret=\(percent(password, keeping: []))&",
            ]),
        plants(
            "client secret", "form-encoded", ["a=+&secret=\(form(password))&b=+", json("=" + form(password))]),
        plants(
            "access token", "percent-encoded", [percent(token, keeping: []), percent(signature, keeping: [])]),
        plants("assertion", "form-encoded", [form(words)]),
        plants("private key", "percent-encoded", [percent(keyLines[1])]),
        plants("private key", "in part", [percent(key)]),
    ]

    private static let escaped: [[Plant]] = [
        plants(
            "client secret", "escaped",
            [
                json(password), json(json(password)), "{\"a\":\(json("{\"b\":\(json(password))}"))}",
                json(password).replacing("\\/", with: "/"), json(password).replacing("\\/", with: "\\u002f"),
                json(password).replacing("\\/", with: "\\u002F"), utf16(password), json(utf16(password)),
                String(reflecting: password), String(reflecting: ["secret": password]),
            ]),
        plants("access token", "escaped", [utf16(token), utf16(payload)]),
        plants("private key", "in part", [json(key)]),
        plants("private key", "escaped", [json(keyLines[1]), json(json(json(json(keyLines[1]))))]),
        plants("content", "escaped", [json(verse), String(reflecting: [verse])]),
        plants(
            "client secret", "in Base64",
            [base64(percent(password)), base64(json(password)), base64("[" + json(password))]),
    ]

    /// What must not be found.
    private static let innocent: [String] = [
        "all is well", "<redacted>", header, header + "." + payload.dropLast() + "." + signature.dropFirst(),
        String(password.dropLast()), String(password.dropFirst()), password.uppercased(),
        String(password.reversed()), almost(password), percent(almost(password)), json(almost(password)),
        base64(almost(password)), base64("planted"), "-----BEGIN PRIVATE KEY-----",
        base64("-----BEGIN PRIVATE KEY-----\n"), keyLines[0].lowercased(), String(keyLines[1].dropFirst()),
        "15 bytes: short", "%", "\\", "%2", "\\u00", "\\uD83D", "+", "100% \\u0041\\q%41%zz", "", verse,
        password.replacing("secret", with: "sec\nret"),
    ]

    private static func almost(_ text: String) -> String { text.replacing("secret", with: "secreT") }
    private static func percent(_ text: String, keeping: CharacterSet = unreserved) -> String {
        text.addingPercentEncoding(withAllowedCharacters: keeping) ?? ""
    }
    private static let unreserved = CharacterSet.alphanumerics.union(["-", "_", ".", "~"])
    private static func form(_ text: String) -> String { percent(text).replacing("%20", with: "+") }
    private static func json(_ text: String) -> String {
        (try? JSONEncoder().encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
    /// Every code unit as an escape of JSON.
    private static func utf16(_ text: String) -> String {
        text.utf16.map { unit in "\\u" + String(String(Int(unit) + 0x10000, radix: 16).dropFirst()) }.joined()
    }
    private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
    /// Base64 that has the secret at each of the three alignments.
    private static let alignments = ["", "i", "id"].map { base64($0 + password) }
    private static func withoutPadding(_ text: String) -> String { text.replacing("=", with: "") }
    private static func urlSafe(_ text: String) -> String {
        text.replacing("+", with: "-").replacing("/", with: "_")
    }
    private static func standard(_ text: String) -> String {
        text.replacing("-", with: "+").replacing("_", with: "/")
    }
    /// The first half in one alphabet, the second one in the other.
    private static func mixed(_ text: String) -> String {
        String(text.prefix(text.count / 2)) + urlSafe(String(text.suffix(text.count - text.count / 2)))
    }

    /// Searches an output, and lists what is said of it by line.
    private func search(
        _ output: Data, ledger: [(kind: String, secret: String)] = secrets, _ options: [String] = []
    ) async throws -> (run: BenchCommand, findings: [String]) {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = [folder.appending(path: "output"), folder.appending(path: "ledger")]
        try output.write(to: files[0])
        let noted = ledger.map { entry in
            entry.kind + "\t"
                + entry.secret.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
                .joined() + "\n"
        }
        try Data(noted.joined().utf8).write(to: files[1])
        let run = try await BenchCommand.run(files.map(\.path) + options, program: Self.script)
        let findings = run.error.split(separator: "\n").map { line in
            String(line.replacing(files[0].path + ":", with: ""))
        }
        return (run, findings)
    }

    @Test func aCleanOutputPasses() async throws {
        let output = Self.innocent.joined(separator: "\n") + "\n"
        let (run, findings) = try await search(Data(output.utf8))
        #expect(run.status == 0)
        #expect(findings.isEmpty)
        let count = output.utf8.count { $0 == UInt8(ascii: "\n") }
        #expect(run.out == "secrets: 5 of 5 kinds, 0 finding(s) in \(count) lines\n")
    }

    /// A search prints at most 50 findings. The last line of each output has no line feed.
    @Test(arguments: 0...1)
    func whatWasPlantedIsFound(half: Int) async throws {
        let plants = [Self.plain + Self.inBase64, Self.encoded + Self.escaped][half].flatMap { $0 }
        var output = Data()
        for plant in plants { output += Data("\nan innocent line\n".utf8) + plant.line }
        let (run, findings) = try await search(output)
        #expect(run.status == 1)
        #expect(run.out.contains(", \(plants.count) finding(s) in \(2 * plants.count) lines"), "\(run.out)")
        let expected = plants.enumerated().map { index, plant in
            "\(2 * index + 3): a secret is printed: \(plant.kind), \(plant.form)"
        }
        let missing = zip(expected, plants).filter { !findings.contains($0.0) }
            .map { "\($0.0): \(String(decoding: $0.1.line.prefix(200), as: UTF8.self))" }
        #expect(missing == [])
        #expect(findings.filter { !expected.contains($0) } == [])
        for entry in Self.secrets {
            for part in entry.secret.split(whereSeparator: { ".\n ".contains($0) }) where part.count > 8 {
                #expect(part.hasPrefix("-----") || !(run.out + run.error).contains(part))
            }
        }
    }

    @Test func everySecretOfALineIsFoundOnEveryLine() async throws {
        let line = "\(Self.password) \(Self.token) \(Self.keyLines[0])\n"
        let (_, findings) = try await search(Data((line + line).utf8))
        var expected: [String] = []
        for number in 1...2 {
            for finding in ["access token, as it is", "client secret, as it is", "private key, in part"] {
                expected.append("\(number): a secret is printed: \(finding)")
            }
        }
        #expect(findings == expected)
    }

    @Test func anEmptyLedgerIsAFailureUnlessItMayBe() async throws {
        #expect(try await search(Data("a line\n".utf8), ledger: []).run.status == 3)
        #expect(try await search(Data("a line\n".utf8), ledger: [], ["--may-be-empty"]).run.status == 0)
        #expect(try await BenchCommand.run(["/nowhere", "/nowhere"], program: Self.script).status == 2)
        #expect(try await BenchCommand.run(["--help"], program: Self.script).status == 0)
    }

    /// The trace of a run is searched: what it leaves out must be written elsewhere in it but for digits.
    @Test func aStormIsBoundedByForm() {
        var bound = TraceBound()
        let storm = 1_000
        var written = 0
        for call in 0..<storm {
            if bound.count("started(call: \(call), after: 0.\(call * 7) s)") <= TraceBound.limit {
                written += 1
            }
        }
        #expect(written == TraceBound.limit)
        #expect(bound.count("started(call: 1, token: \(Self.token))") == 1)
        #expect(bound.count("started(call: 1, token: \(Self.token.uppercased()))") == 1)
        #expect(bound.leftOut == storm - TraceBound.limit)
    }
}
