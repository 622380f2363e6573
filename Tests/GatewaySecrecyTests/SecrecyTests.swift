import Foundation
import Testing

/// No public type prints a secret: every one that the sources declare has a specimen here, or a reason to need none.
@Suite(.timeLimit(.minutes(2))) struct SecrecyTests {
    static let modules = [
        "GatewayCore", "GatewayJSON", "GatewayCurl", "GatewayResilience", "GatewayAuth", "GatewayRedis",
        "GatewayOpenAPI", "GatewayClient", "GatewayTesting", "GatewayTelemetry", "GatewayDiskCache",
        "GatewayNetworkMonitor", "GatewayOfflineQueue", "GatewayDashboard",
    ]

    static func specimens() async throws -> [Any] {
        try CoreSpecimens.all() + JSONSpecimens.all() + CurlSpecimens.all() + ResilienceSpecimens.all()
            + AuthSpecimens.tokens() + AuthSpecimens.providers() + AuthSpecimens.keys()
            + AuthSpecimens.redis() + DiskCacheSpecimens.all() + FallbackSpecimens.all()
            + (await QueueSpecimens.all())
            + OpenAPISpecimens.credentialTypes() + OpenAPISpecimens.calls() + OpenAPISpecimens.errors()
            + (await OpenAPISpecimens.sequences()) + ClientSpecimens.all() + TestingSpecimens.all()
            + TelemetrySpecimens.all() + NetworkSpecimens.all() + DashboardSpecimens.all()
    }

    /// The name of a value's type as the sources declare it, with its module: `Module.Outer.Inner`.
    static func name(of value: Any) -> String { name(ofType: type(of: unwrapped(value))) }

    /// The same of a type.
    static func name(ofType type: Any.Type) -> String {
        var name = ""
        var open = 0
        // A private type has the place of its file in its name.
        for character in String(reflecting: type).replacing(
            #/\(unknown context at \$[0-9a-f]+\)\./#, with: "")
        {
            if character == "<" { open += 1 }
            if open == 0 { name.append(character) }
            if character == ">" { open -= 1 }
        }
        return name
    }

    private static func unwrapped(_ value: Any) -> Any {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional, let child = mirror.children.first else { return value }
        return unwrapped(child.value)
    }

    @Test func nothingPrintsASecret() async throws {
        for specimen in try await Self.specimens() {
            let text = Printer.allTexts(of: specimen)
            #expect(
                Marker.found(in: text).isEmpty,
                "\(Self.name(of: specimen)) prints a secret: \(text.prefix(600))")
        }
    }

    @Test func everyTextThatIsPrintedIsKnown() async throws {
        var found: Set<String> = []
        for specimen in try await Self.specimens() { found.formUnion(Printer.texts(of: specimen)) }
        let known = Printable.texts
        for text in found.subtracting(known).sorted() {
            Issue.record(
                """
                \(text) can hold text and is printed. Let the type conform to Redacted, or add the property to \
                Printable.texts if it can never hold a secret.
                """)
        }
        for text in known.subtracting(found).sorted() {
            Issue.record("\(text) is not printed any more: remove it from Printable.texts.")
        }
    }

    @Test func everyPublicTypeIsKnown() async throws {
        let declared = try Self.declared.get()
        let specimens = Set(try await Self.specimens().map(Self.name))
        for (name, declaration) in declared where !declaration.holdsNothing {
            #expect(
                specimens.contains(name) || Printable.reasons[name] != nil,
                """
                \(name) is public and not known here. Add a value of it to Tests/GatewaySecrecyTests/Specimens with \
                Marker.text in every field that can hold a secret. If it then prints the marker, let the type conform to \
                Redacted. A type that may print all that it holds gets its reason in Printable.reasons instead.
                """)
        }
    }

    @Test func theTableNamesNoTypeThatIsGone() async throws {
        let declared = try Self.declared.get()
        for name in Printable.reasons.keys {
            #expect(declared[name] != nil, "\(name) is not a public type any more: remove its reason.")
            #expect(declared[name]?.holdsNothing != true, "\(name) holds nothing: remove its reason.")
        }
        let modules = Set(Self.modules)
        for name in Set(try await Self.specimens().map(Self.name)) {
            // Other specimens are values of standard types that hold a public one.
            guard modules.contains(String(name.prefix { $0 != "." })) else { continue }
            #expect(declared[name] != nil, "\(name) has a specimen and is not a public type any more.")
            #expect(Printable.reasons[name] == nil, "\(name) has a specimen: remove its reason.")
        }
    }

    /// The public types of the libraries, by `Module.Outer.Inner`. The sources are read once for all tests.
    private static let declared = Result { try declarations() }

    private static func declarations() throws -> [String: DeclarationScanner.Declaration] {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
            .standardizedFileURL
        var found: [String: DeclarationScanner.Declaration] = [:]
        for module in modules {
            let folder = sources.appending(path: module)
            let paths =
                FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
            let files = paths.filter { $0.hasSuffix(".swift") }
            try #require(!files.isEmpty, "No sources at \(folder.path).")
            for file in files {
                let source = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
                let declarations = try #require(
                    try? DeclarationScanner.declarations(in: source), "\(file) is read wrongly.")
                for declaration in declarations where declaration.isPublic {
                    found[module + "." + declaration.name] = declaration
                }
            }
        }
        return found
    }
}
