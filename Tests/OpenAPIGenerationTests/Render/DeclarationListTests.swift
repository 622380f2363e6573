import TestTiers
import Testing

@testable import OpenAPIGeneration

/// The declarations of a client as JSON.
@Suite struct DeclarationListTests {
    private static let document = """
        openapi: 3.1.0
        info: { title: T, version: '1' }
        paths:
          /pets/{id}:
            put:
              operationId: putPet
              tags: [pets]
              parameters:
                - { name: id, in: path, required: true, schema: { type: string } }
                - { name: dry-run, in: query, schema: { type: boolean } }
              requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
              responses:
                '200': { description: d, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
        components:
          schemas:
            Pet:
              type: object
              required: [pet_name]
              properties: { pet_name: { type: string }, kind: { type: string, enum: [cat, dog] } }
            Pets: { type: array, items: { $ref: '#/components/schemas/Pet' } }
        """

    private func text(_ document: String, path: String = "Test.openapi.yaml") -> String {
        var generator = Generator(namespace: "Test")
        generator.givesDeclarations = true
        return generator.run(Array(document.utf8), path: path).declarations ?? ""
    }

    private func list() throws -> Node { try node(text(Self.document), path: "d.json") }

    @Test func typesHaveTheirPlacesPropertiesAndCases() throws {
        let types = try list()["types"]?.array ?? []
        #expect(
            types.map { $0["place"]?.string } == ["#/components/schemas/Pet", "#/components/schemas/Pets"])
        let pet = types.first?["declaration"]
        #expect(pet?["kind"]?.string == "struct" && pet?["name"]?.string == "Pet")
        let conformances = pet?["conformances"]?.array ?? []
        #expect(conformances.map { $0.string } == ["JSONObjectCodable", "Equatable", "Sendable"])
        let members = pet?["members"]?.array ?? []
        #expect(
            members.prefix(3).map { json($0) } == [
                #"{"kind":"var","name":"petName","key":"pet_name","type":"String"}"#,
                #"{"kind":"var","name":"kind","key":"kind","type":"Test.Pet.Kind?"}"#,
                #"{"kind":"init","parameters":[{"label":"petName","name":"petName","type":"String"},{"label":"kind","name":"kind","type":"Test.Pet.Kind?","default":"nil"}]}"#,
            ])
        let cases = members.last?["members"]?.array?.filter { $0["kind"]?.string == "case" } ?? []
        #expect(cases.map { $0["name"]?.string } == ["cat", "dog", "unrecognized"])
        let payload = cases.last?["parameters"]?.array ?? []
        #expect(payload.map { json($0) } == [#"{"type":"String"}"#])
        let pets = types.last?["declaration"]
        #expect(pets.map { json($0) } == #"{"kind":"typealias","name":"Pets","value":"[Test.Pet]"}"#)
    }

    @Test func operationsHaveTheirMethodsAndArguments() throws {
        let operation = try list()["operations"]?.array?.first
        #expect(operation?["method"]?.string == "PUT" && operation?["path"]?.string == "/pets/{id}")
        let declarations = operation?["declarations"]?.array ?? []
        #expect(
            declarations.map { $0["name"]?.string } == ["TestClient.Pets", "TestClient.Pets.WithResponse"])
        let parameters = [
            #"{"label":"id","name":"id","type":"String"}"#, #"{"label":"_","name":"body","type":"Test.Pet"}"#,
            #"{"label":"dryRun","name":"dryRun","type":"Bool?","default":"nil"}"#,
            #"{"label":"options","name":"options","type":"CallOptions","default":"CallOptions()"}"#,
        ]
        let method = declarations.last?["members"]?.array?.first
        #expect(method?["kind"]?.string == "func" && method?["name"]?.string == "put")
        #expect(method?["parameters"]?.array?.map { json($0) } == parameters)
        #expect(method?["isAsync"]?.bool == true)
        #expect(method?["throws"]?.string == "APIError<Test.PutPetFailure>")
        #expect(method?["returns"]?.string == "APIResponse<Test.Pet, UndocumentedHeaders>")
    }

    @Test(arguments: fixtureNames)
    func everythingThatCallersCanUseIsListed(name: String) throws {
        let kinds: Set<Substring> = ["struct", "enum", "typealias", "var", "let", "func", "init"]
        var declared: [Substring: Int] = [:]
        for line in try Rendered.fixture(name).source.split(separator: "\n") {
            let words = line.split { [" ", "(", "?"].contains($0) }
            guard words.first == "public", let kind = words.first(where: { kinds.contains($0) }) else {
                continue
            }
            declared[kind, default: 0] += 1
        }
        let list = text(try fixture(name + ".openapi.yaml"))
        for kind in kinds {
            let count =
                list.split(separator: "\"kind\": \"\(kind)\"", omittingEmptySubsequences: false).count - 1
            #expect(count == declared[kind] ?? 0, "\(kind)")
        }
    }

    @Test(arguments: fixtureNames)
    func shuffledKeysGiveTheSameBytes(name: String) throws {
        let document = try fixture(name + ".openapi.yaml")
        var shuffler = DocumentShuffler(source: RepeatableRandom(seed: 19))
        let shuffled = shuffler.json(try node(document))
        #expect(text(shuffled, path: "Test.openapi.json") == text(document))
    }

    @Test func noneAreMadeUnlessAsked() {
        #expect(Rendered(Self.document).output.declarations == nil)
    }
}
