import Foundation
import Testing

/// The built executable, run as a user runs it.
@Suite struct CommandLineTests {
    private let tool = ToolRunner()
    private var directory: URL { tool.directory }

    private func run(_ arguments: String...) throws -> ToolRunner.Run { try tool.run(arguments) }

    private func run(_ arguments: [String]) throws -> ToolRunner.Run { try tool.run(arguments) }

    private func write(_ text: String, _ name: String) throws -> String { try tool.write(text, name) }

    @Test func generatesAndLeavesUnchangedFilesAlone() throws {
        let spec = try fixtureURL("Petstore.openapi.yaml").path
        let target = directory.appending(path: "with a space/out")
        #expect(try run("generate", spec, "--output", target.path).status == 0)
        let client = target.appending(path: "PetstoreClient.swift")
        let text = try String(contentsOf: client, encoding: .utf8)
        #expect(text.contains("public nonisolated struct PetstoreClient: Sendable {"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: target.path).count == 51)
        let old = Date(timeIntervalSince1970: 1_000_000)
        try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: client.path)
        #expect(try run("generate", spec, "--output=" + target.path, "--name", "Petstore").status == 0)
        let attributes = try FileManager.default.attributesOfItem(atPath: client.path)
        #expect(attributes[.modificationDate] as? Date == old)
        #expect(try run("generate", spec, "--output", target.path, "--access", "internal").status == 0)
        let after = try String(contentsOf: client, encoding: .utf8)
        #expect(after.contains("\nnonisolated struct PetstoreClient: Sendable {"))
        #expect(!after.contains("public"))
    }

    @Test func documentErrorsAreOne() throws {
        let missing = try run("validate", directory.appending(path: "none.yaml").path)
        #expect(missing.status == 1)
        #expect(
            missing.error.hasSuffix(
                "none.yaml: error: no such file [unreadable-file]\n"))
        let cases = [
            ("a.yaml", "a: [1\n", ":2:1: error: "), ("a.json", "{\n  \"a\" 1}", ":2:7: error: expected ':'"),
            ("b.yaml", "swagger: '2.0'\n", ":1:10: error: Swagger 2.0 is not supported"),
            ("c.yaml", "openapi: 3.9.0\n", ":1:10: error: OpenAPI version \"3.9.0\" is not supported"),
            (
                "d.yaml",
                "openapi: 3.1.0\ninfo: { title: T, version: '1' }\ncomponents:\n  schemas:\n    A: { $ref: '#/components/schemas/B' }\n",
                ":5:16: error: \"#/components/schemas/B\" cannot be resolved: no such member \"B\""
            ),
        ]
        for (name, text, expected) in cases {
            let path = try write(text, name)
            let result = try run(
                "generate", path, "--output", directory.appending(path: "out").path, "--name", "A1")
            #expect(result.status == 1, "\(name)")
            #expect(result.error.contains(path + expected), "\(result.error)")
            #expect(!result.error.contains("\u{1B}"))
        }
        #expect(!FileManager.default.fileExists(atPath: directory.appending(path: "out").path))
    }

    @Test func filesBesideTheDocumentAreReadAndNoneOutsideItsFolder() throws {
        let document = "openapi: 3.1.0\ninfo: { title: T, version: '1' }\ncomponents:\n  schemas:\n"
        let secret = try write("type: object\nproperties: { secret: { type: string } }\n", "secret.yml")
        let folder = directory.appending(path: "api")
        try FileManager.default.createDirectory(
            at: folder.appending(path: "models"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: folder.appending(path: "link.yml").path, withDestinationPath: secret)
        try FileManager.default.createSymbolicLink(
            atPath: folder.appending(path: "up").path, withDestinationPath: "..")
        _ = try write(
            "type: object\nproperties: { x: { $ref: '../Good.openapi.yaml#/components/schemas/A' } }\n",
            "api/models/pet.yml")
        let good = try write(document + "    A: { $ref: models/pet.yml }\n", "api/Good.openapi.yaml")
        let out = directory.appending(path: "out")
        let result = try run("generate", good, "--output", out.path)
        #expect(result.status == 0, "\(result.error)")
        for (reference, words) in [
            ("link.yml", "a symbolic link points outside"),
            ("up/secret.yml", "a symbolic link points outside"),
            ("../secret.yml", "is outside the document's folder"), ("models", "not a regular file"),
        ] {
            let path = try write(document + "    A: { $ref: \(reference) }\n", "api/bad.yaml")
            let result = try run("validate", path)
            #expect(result.status == 1)
            #expect(result.error.contains(path + ":5:16: error: "), "\(result.error)")
            #expect(result.error.contains(words), "\(result.error)")
        }
    }

    @Test func configurationAndLockBesideTheDocumentAreTaken() throws {
        let document =
            "openapi: 3.1.0\ninfo: { title: T, version: '1' }\ncomponents:\n  schemas:\n    pet: { type: object, $dynamicRef: '#x' }\n    a_b: { type: object, properties: { x: { type: string } } }\n"
        let path = try write(document, "Zoo.openapi.yaml")
        _ = try write("name: Animals\naccess: internal\n", "Zoo.gateway.yml")
        let out = directory.appending(path: "out")
        let lock = directory.appending(path: "openapi.lock")
        #expect(try run("generate", path, "--output", out.path).status == 0)
        #expect(!FileManager.default.fileExists(atPath: lock.path))
        #expect(FileManager.default.fileExists(atPath: out.appending(path: "AnimalsClient.swift").path))
        #expect(try run("generate", path, "--output", out.path, "--update-lock").status == 0)
        let text = try String(contentsOf: lock, encoding: .utf8)
        #expect(text.contains("\"#/components/schemas/a_b\": \"AB\""))
        // The newcomer comes first by name, and gets the number.
        _ = try write(
            document + "    a-b: { type: object, properties: { y: { type: string } } }\n", "Zoo.openapi.yaml")
        #expect(
            try run("generate", path, "--output", out.path, "--update-lock", "--file-prefix", "Zoo").status
                == 0)
        #expect(FileManager.default.fileExists(atPath: out.appending(path: "ZooClient.swift").path))
        let after = try String(contentsOf: lock, encoding: .utf8)
        #expect(
            after.contains("\"#/components/schemas/a_b\": \"AB\"")
                && after.contains("\"#/components/schemas/a-b\": \"AB2\""))
        // The lock alone.
        try FileManager.default.removeItem(at: lock)
        #expect(try run("generate", path, "--update-lock", "--lock", lock.path).status == 0)
        #expect(FileManager.default.fileExists(atPath: lock.path))
        let strict = try run("validate", path, "--strict")
        #expect(strict.status == 1)
        #expect(strict.error.contains(": error: \"$dynamicRef\" is not supported"))
        let other = try write("diagnostics: { unsupported-schema: 'off' }", "other.yaml")
        #expect(try run("validate", path, "--strict", "--config", other).status == 0)
        let wrong = try write("acess: public", "wrong.yaml")
        let refused = try run("generate", path, "--output", out.path, "--config", wrong)
        #expect(refused.status == 1)
        #expect(
            refused.error.hasPrefix(
                wrong + ":1:1: error: unknown key \"acess\"; did you mean \"access\"?"))
        #expect(try run("validate", path, "--config", directory.appending(path: "none").path).status == 1)
    }

    @Test func diffTellsByItsStatus() throws {
        let head = "openapi: 3.1.0\ninfo: { title: T, version: '1' }\n"
        let old = try write(head + "paths: { /a: { get: { responses: {} } } }\n", "old.yaml")
        let more = try write(
            head + "paths: { /a: { get: { responses: {} } }, /b: { get: { responses: {} } } }\n", "more.yaml")
        let compatible = try run("diff", old, more)
        #expect(compatible.status == 0)
        #expect(compatible.out.hasSuffix("1 change, 0 breaking\n"))
        #expect(try run("diff", old, old).out == "0 changes, 0 breaking\n")
        let breaking = try run("diff", more, old, "--format", "json")
        #expect(breaking.status == 1)
        #expect(breaking.out.contains("\"compatible\": false"))
        #expect(try run("diff", old, directory.appending(path: "none.yaml").path).status == 2)
        let broken = try run("diff", old, try write("openapi: 3.1.0", "broken.yaml"))
        #expect(broken.status == 2)
        #expect(broken.error.contains("broken.yaml:1:1: error: missing object \"info\""))
        for arguments in [[old], [old, more, old], [old, more, "--format", "xml"]] {
            let result = try run(["diff"] + arguments)
            #expect(result.status == 2)
            #expect(result.error.contains("gateway-openapi diff --help"))
        }
    }

    // MARK: --check

    /// The date and the content of each file below the folder of the test, of folders the date.
    private func entries() throws -> [String: Entry] {
        let paths = FileManager.default.enumerator(atPath: directory.path)?.compactMap { $0 as? String } ?? []
        var result: [String: Entry] = [:]
        for path in paths {
            let url = directory.appending(path: path)
            let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
            result[path] = Entry(
                date: attributes[.modificationDate] as? Date, content: try? Data(contentsOf: url))
        }
        return result
    }

    private struct Entry: Equatable {
        let date: Date?
        let content: Data?
    }

    @Test func checkNamesWhatDiffersAndWritesNothing() throws {
        let spec = try fixtureURL("Petstore.openapi.yaml").path
        let out = directory.appending(path: "out").path
        let lock = directory.appending(path: "openapi.lock").path
        let options = ["--output", out, "--layout", "names", "--lock", lock, "--update-lock"]
        let files = [
            "Operations/PetsOperations.swift", "PetstoreClient.swift", "PetstoreFailures.swift",
            "Schemas/Error.swift", "Schemas/Pet.swift", "Schemas/Pets.swift",
        ]
        let empty = try run(["generate", spec, "--check"] + options)
        #expect(empty.status == 1)
        #expect(
            empty.out == files.map { "\(out)/\($0): missing\n" }.joined() + "\(lock): out of date\n")
        #expect(try entries().isEmpty)

        #expect(try run(["generate", spec] + options).status == 0)
        let pet = try String(contentsOfFile: out + "/Schemas/Pet.swift", encoding: .utf8)
        let edits: [(name: String, text: String?, difference: String?)] = [
            ("out/Schemas/Own.swift", "// by hand\n", nil),
            ("out/Schemas/Pet.swift", pet + "// edited\n", "out of date"),
            ("out/Schemas/Pets.swift", nil, "missing"),
            ("out/Schemas/Gone.swift", pet, "no longer generated"),
            ("openapi.lock", #"{"version": 1, "documents": {}}"#, "out of date"),
        ]
        for (name, text, difference) in edits {
            let path = directory.appending(path: name).path
            let known = try? String(contentsOfFile: path, encoding: .utf8)
            try replace(name, by: text)
            let before = try entries()
            let result = try run(["generate", spec, "--check"] + options)
            #expect(result.status == (difference == nil ? 0 : 1), "\(name)")
            #expect(result.out == (difference.map { "\(path): \($0)\n" } ?? ""))
            #expect(try entries() == before)
            try replace(name, by: known)
        }
    }

    /// Writes a file, or removes it.
    private func replace(_ name: String, by text: String?) throws {
        if let text {
            _ = try write(text, name)
        } else {
            try FileManager.default.removeItem(at: directory.appending(path: name))
        }
    }

    /// The files of the other layout, and files of this document with names that it no longer has; no others.
    @Test func filesThatAreNoLongerGeneratedAreRemoved() throws {
        let spec = try fixtureURL("Petstore.openapi.yaml").path
        let out = directory.appending(path: "out").path
        #expect(try run("generate", spec, "--output", out).status == 0)
        let mark = "// Generated by gateway-openapi from Petstore.openapi.yaml. Do not edit.\n"
        let old = try String(contentsOfFile: out + "/PetstoreSchemas.31.swift", encoding: .utf8)
        #expect(old.hasPrefix(mark))
        for folder in ["", "Operations/", "Schemas/"] {
            try FileManager.default.createDirectory(
                atPath: out + "/" + folder, withIntermediateDirectories: true)
            _ = try write(mark, "out/\(folder)Gone.swift")
            _ = try write("// By hand.\n", "out/\(folder)Own.swift")
            _ = try write(mark.replacing("Petstore", with: "Other"), "out/\(folder)Other.swift")
            _ = try write(mark, "out/\(folder)Notes.txt")
        }
        #expect(try run("generate", spec, "--output", out, "--layout", "names").status == 0)
        let kept = ["", "Operations/", "Schemas/"].flatMap { folder in
            ["Notes.txt", "Other.swift", "Own.swift"].map { folder + $0 }
        }
        let generated = [
            "Operations", "Operations/PetsOperations.swift", "PetstoreClient.swift", "PetstoreFailures.swift",
            "Schemas", "Schemas/Error.swift", "Schemas/Pet.swift", "Schemas/Pets.swift",
        ]
        let found = try entries().keys.filter { $0.hasPrefix("out/") }.map { String($0.dropFirst(4)) }
        #expect(found.sorted() == (kept + generated).sorted())
    }

    @Test func warningsAreAllowed() throws {
        let path = try write(
            "openapi: 3.1.0\ninfo: { title: T, version: '1' }\npaths: {}\nwebhoks: {}\n", "w.yaml")
        let result = try run("validate", path)
        #expect(result.status == 0)
        #expect(
            result.error
                == "\(path):4:1: warning: unknown keyword \"webhoks\" in an OpenAPI document; did you mean \"webhooks\"? "
                + "[unknown-keyword]\n")
        #expect(result.out == "\(path): valid, 1 warning: 0 operations, 0 schemas\n")
    }

    @Test func manyWarningsAreOneLineUnlessAllAreWanted() throws {
        let schemas = (10..<22).map {
            "    S\($0): { type: object, properties: { a: { $dynamicRef: '#x' } } }\n"
        }
        let path = try write(
            "openapi: 3.1.0\ninfo: { title: T, version: '1' }\ncomponents:\n  schemas:\n" + schemas.joined(),
            "Many.openapi.yaml")
        let short = try run("validate", path)
        #expect(short.error.split(separator: "\n").count == 1)
        #expect(short.error.contains(path + ":5:"), "\(short.error)")
        #expect(short.out == "\(path): valid, 12 warnings: 0 operations, 12 schemas (12 degraded)\n")
        #expect(try run("validate", path, "--verbose").error.split(separator: "\n").count == 12)
        let out = directory.appending(path: "out").path
        let generated = try run("generate", path, "--output", out)
        #expect(generated.error == short.error)
        #expect(generated.out == "\(path): 0 operations, 12 schemas (12 degraded)\n")
        let all = try run("generate", path, "--output", out, "--verbose")
        #expect(all.error.split(separator: "\n").count == 12)
    }

    @Test(arguments: [
        [], ["generat"], ["--output"], ["generate"], ["generate", "a.yaml"],
        ["generate", "a.yaml", "--output"],
        ["generate", "a.yaml", "--ouput", "x"], ["generate", "a.yaml", "b.yaml", "--output", "x"],
        ["generate", "a.yaml", "--output", "x", "--access", "open"], ["validate"],
        ["validate", "a", "--output", "b"],
        ["generate", "a.yaml", "--output", "x", "--name", "a b"],
        ["generate", "a.yaml", "--output", "x", "--name", "API"],
        ["generate", "a.yaml", "--output", "x", "--output", "y"],
    ])
    func wrongUsageIsTwo(arguments: [String]) throws {
        let process = Process()
        process.executableURL = Bundle.module.bundleURL.deletingLastPathComponent()
            .appending(path: "gateway-openapi")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 2)
    }

    @Test func unknownWordsGetASuggestion() throws {
        #expect(
            try run("generate", "a", "--output", "b", "--layout", "nams").error.contains(
                "did you mean \"names\"?"))
        #expect(try run("generate", "a", "--ouput", "b").error.contains("did you mean \"--output\"?"))
        #expect(try run("validat", "a").error.contains("did you mean \"validate\"?"))
        #expect(
            try run("generate", "a", "--output", "b", "--access", "publc").error.contains(
                "did you mean \"public\"?"))
    }

    @Test func declarationsAreWrittenAndChecked() throws {
        let spec = try fixtureURL("Petstore.openapi.yaml").path
        let file = try write("", "declarations.json")
        let check = try run("generate", spec, "--declarations", file, "--check")
        #expect(check.status == 1)
        #expect(check.out == file + ": out of date\n")
        #expect(try run("generate", spec, "--declarations", file).status == 0)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.hasPrefix("{\n  \"namespace\": \"Petstore\",\n"))
        #expect(try run("generate", spec, "--declarations", file, "--check").status == 0)
    }

    @Test func helpShowsExamples() throws {
        for arguments in [
            ["--help"], ["generate", "--help"], ["validate", "-h"], ["help", "generate"], ["help", "config"],
            ["diff", "--help"],
        ] {
            let result = arguments.count == 1 ? try run(arguments[0]) : try run(arguments[0], arguments[1])
            #expect(result.status == 0)
            #expect(result.out.contains("Example"))
            #expect(result.error.isEmpty)
        }
    }
}
