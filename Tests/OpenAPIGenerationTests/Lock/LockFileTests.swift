import Foundation
import Testing

@testable import OpenAPIGeneration

@Suite struct LockFileTests {
    private func document(_ schemas: String, operations: String = "") -> String {
        """
        openapi: 3.1.0
        info: { title: T, version: '1' }
        paths:
          /pets:
            get:
              operationId: listPets
              tags: [pets]
              responses:
                '200':
                  description: d
                  headers: { X-Total: { schema: { type: integer } } }
                  content: { application/json: { schema: { $ref: '#/components/schemas/pet_page' } } }
        \(operations)
        components:
          schemas:
        \(schemas)
        """
    }

    private let old = """
            pet_page: { type: object, properties: { status: { type: string, enum: [a, b] } } }
            pet: { type: object, properties: { name: { type: string } } }
        """

    private func lock(_ rendered: Rendered) -> String {
        var lock = LockFile()
        lock.set(rendered.output.names, of: "api.yaml")
        return lock.text
    }

    @Test func aLockIsReadBackAndItsBytesStay() throws {
        let rendered = Rendered(document(old), path: "api.yaml")
        let text = lock(rendered)
        #expect(
            text == """
                {
                  "version": 1,
                  "documents": {
                    "api.yaml": {
                      "#/components/schemas/pet": "Pet",
                      "#/components/schemas/pet_page": "PetPage",
                      "#/components/schemas/pet_page/properties/status": "PetPage.Status",
                      "#/paths/~1pets/get": "ListPets",
                      "#/paths/~1pets/get/operationId": "list",
                      "#/paths/~1pets/get/responses": "ListPetsFailure",
                      "#/paths/~1pets/get/responses/2XX/headers": "ListPetsHeaders",
                      "case #/components/schemas/pet_page/properties/status/enum": {"a": "a", "b": "b"},
                      "property #/components/schemas/pet/properties": {"name": "name"},
                      "property #/components/schemas/pet_page/properties": {"status": "status"},
                      "resource pets": "pets",
                      "tag pets": "Pets"
                    }
                  }
                }

                """)
        #expect(try LockFile(Array(text.utf8)).text == text)
        #expect(LockFile().text == "{\n  \"version\": 1,\n  \"documents\": {}\n}\n")
        let again = Rendered(document(old), path: "api.yaml", lock: text)
        #expect(again.source == rendered.source)
        #expect(lock(again) == text)
    }

    /// Each of these would take a name away from a type or method that was there before.
    @Test func aNewSchemaNeverRenamesAnExistingType() {
        let text = lock(Rendered(document(old), path: "api.yaml"))
        let newcomers =
            old + "\n" + """
                    Pet: { type: object, properties: { newcomer: { type: string } } }
                    PetPage: { type: object, properties: { status: { type: string, enum: [x, y] } } }
                    ListPetsFailure: { type: object, properties: { z: { type: string } } }
                    ListPetsHeaders: { type: string, enum: [q, r] }
                """
        let operations = """
              /animals:
                get:
                  operationId: list
                  tags: [pets]
                  responses: { '204': { description: d } }
                put:
                  operationId: list_pets
                  tags: [pets]
                  responses: { '204': { description: d } }
            """
        let full = document(newcomers, operations: operations)
        let without = Rendered(full, path: "api.yaml")
        #expect(without.output.names["#/components/schemas/pet"] == "Pet2")
        #expect(without.output.names["#/paths/~1pets/get"] == "ListPets2")
        let with = Rendered(full, path: "api.yaml", lock: text)
        #expect(with.rules == without.rules)
        #expect(with.output.names["#/components/schemas/pet"] == "Pet")
        #expect(with.output.names["#/components/schemas/Pet"] == "Pet2")
        #expect(with.output.names["#/components/schemas/pet_page/properties/status"] == "PetPage.Status")
        #expect(with.output.names["#/components/schemas/PetPage/properties/status"] == "PetPage2.Status")
        #expect(with.output.names["#/paths/~1pets/get"] == "ListPets")
        #expect(with.output.names["#/paths/~1pets/get/operationId"] == "list")
        #expect(with.output.names["#/paths/~1pets/get/responses"] == "ListPetsFailure")
        #expect(with.output.names["#/paths/~1pets/get/responses/2XX/headers"] == "ListPetsHeaders")
        #expect(with.output.names["#/paths/~1animals/put"] == "ListPets2")
        #expect(with.contains("public var newcomer"))
        // What was settled once more stays so.
        let again = Rendered(full, path: "api.yaml", lock: lock(with))
        #expect(again.source == with.source)
    }

    private static let members = """
                pet:
                  type: object
                  additionalProperties: { type: string }
                  properties:
                    foo_bar: { type: string }
                    state: { type: string, enum: [in_use, '3'] }
                    shape: { oneOf: [{ $ref: '#/components/schemas/sphere' }, { type: integer }] }
                sphere: { type: object, required: [r], properties: { r: { type: number } } }
                pet_page: { type: object }
        """

    /// Each newcomer would come first, and take the name of what was there.
    @Test func whatIsNewNeverRenamesAMember() {
        let old = Rendered(document(Self.members), path: "api.yaml")
        let names = old.output.names
        let pet = "#/components/schemas/pet"
        #expect(names["property \(pet)/properties/foo_bar"] == "fooBar")
        #expect(names["property \(pet)/additionalProperties"] == "additionalProperties")
        #expect(names["case \(pet)/properties/state/enum/in_use"] == "inUse")
        #expect(names["case \(pet)/properties/state/enum/3"] == "_3")
        let sphere = "case \(pet)/properties/shape/oneOf/#~1components~1schemas~1sphere"
        #expect(names[sphere] == "sphere")
        let text = Self.members
            .replacingOccurrences(
                of: "foo_bar: {",
                with: "additional_properties: { type: string }\n            "
                    + "foo-bar: { type: string }\n            foo_bar: {"
            )
            .replacingOccurrences(of: "enum: [in_use,", with: "enum: [in-use, in_use,")
            .replacingOccurrences(
                of: "oneOf: [",
                with:
                    "oneOf: [{ title: sphere, type: object, required: [s], properties: { s: { type: number } } }, "
            )
        let without = Rendered(document(text), path: "api.yaml").output.names
        #expect(without["property \(pet)/properties/foo_bar"] == "fooBar2")
        #expect(without["property \(pet)/additionalProperties"] == "additionalProperties2")
        #expect(without["case \(pet)/properties/state/enum/in_use"] == "inUse2")
        #expect(without[sphere] == "sphere2")
        let with = Rendered(document(text), path: "api.yaml", lock: lock(old))
        for (place, name) in names { #expect(with.output.names[place] == name) }
        #expect(with.output.names["property \(pet)/properties/foo-bar"] == "fooBar2")
        #expect(
            with.output.names["property \(pet)/properties/additional_properties"] == "additionalProperties2")
        #expect(with.output.names["case \(pet)/properties/state/enum/in-use"] == "inUse2")
        #expect(with.contains("case \"in_use\": self = .inUse\n"))
        let again = Rendered(document(text), path: "api.yaml", lock: lock(with))
        #expect(again.source == with.source)
    }

    /// Bodies of a status are cases; the preferred one has the name of the status.
    @Test func aNewMediaTypeNeverRenamesACase() {
        func paths(_ success: String, _ failure: String, _ parameter: String = "") -> String {
            """
              /reports:
                get:
                  operationId: report
                  parameters: [\(parameter){ name: id, in: query, schema: { type: string } }]
                  responses:
                    '200': { description: d, content: { \(success) } }
                    '404': { description: d, content: { \(failure) } }
                    '409': { description: d, content: { \(failure) } }
            """
        }
        let json = "application/json: { schema: { type: object, properties: { a: { type: string } } } }"
        let before = paths("text/csv: {}, application/zip: {}", "text/plain: {}")
        let old = Rendered(document(self.old, operations: before), path: "api.yaml")
        let names = old.output.names
        #expect(names["case #/paths/~1reports/get/responses/200/text~1csv"] == "csv")
        #expect(names["case #/paths/~1reports/get/responses/404/text~1plain"] == "notFound")
        #expect(names["case #/paths/~1reports/get/accept/text~1csv"] == "csv")
        #expect(names["argument #/paths/~1reports/get/accept"] == "accept")
        let after = paths(
            "\(json), text/csv: {}, application/csv: {}, application/zip: {}", "\(json), text/plain: {}",
            "{ name: accept, in: query, schema: { type: string } }, ")
        let without = Rendered(document(self.old, operations: after), path: "api.yaml").output.names
        #expect(without["case #/paths/~1reports/get/responses/404/text~1plain"] == "notFoundText")
        #expect(without["argument #/paths/~1reports/get/accept"] == "accept2")
        let with = Rendered(document(self.old, operations: after), path: "api.yaml", lock: lock(old))
        for (place, name) in names { #expect(with.output.names[place] == name, "\(place.text)") }
        #expect(with.contains("case notFound(String)\n"))
        #expect(
            with.output.names["case #/paths/~1reports/get/responses/404/application~1json"] == "notFoundJson")
        #expect(with.output.names["argument #/paths/~1reports/get/query/accept"] == "accept2")
        let again = Rendered(document(self.old, operations: after), path: "api.yaml", lock: lock(with))
        #expect(again.source == with.source)
        #expect(lock(again) == lock(with))
    }

    /// The cases of a failure that operations share have the names of the lock.
    @Test func aNewMediaTypeNeverRenamesACaseOfASharedFailure() {
        func paths(_ content: String) -> String {
            ["a", "b"].map { path in
                """
                  /\(path):
                    get: { operationId: \(path), responses: { '204': { description: d }, '404': { description: d, content: { \(content) } } } }
                """
            }.joined(separator: "\n")
        }
        let old = Rendered(document(old, operations: paths("text/plain: {}")), path: "api.yaml")
        let full = document(
            self.old, operations: paths("text/plain: {}, application/json: { schema: { type: object } }"))
        let with = Rendered(full, path: "api.yaml", lock: lock(old))
        #expect(with.contains("case notFound(String)\n"))
        #expect(Rendered(full, path: "api.yaml", lock: lock(with)).source == with.source)
    }

    @Test func aNewPatternOrTitleNeverRenamesAMember() {
        func schemas(_ patterns: String, _ title: String = "") -> String {
            """
                map: { type: object, patternProperties: { \(patterns)'^b': { type: integer }, '^c': { type: string } } }
                row: { type: array, prefixItems: [{ type: string\(title) }], items: { type: boolean } }
            """
        }
        let pages = self.old + "\n"
        let old = Rendered(document(pages + schemas("")), path: "api.yaml")
        let map = "property #/components/schemas/map/patternProperties/"
        #expect(old.output.names["\(map)^b"] == "patternProperties")
        #expect(old.output.names["\(map)^c"] == "patternProperties2")
        #expect(old.output.names["property #/components/schemas/row/properties/0"] == "item0")
        let full = document(pages + schemas("'^a': { type: string }, ", ", title: name"))
        #expect(
            Rendered(full, path: "api.yaml").output.names["property #/components/schemas/row/properties/0"]
                == "name")
        let with = Rendered(full, path: "api.yaml", lock: lock(old))
        for (place, name) in old.output.names { #expect(with.output.names[place] == name, "\(place.text)") }
        // It has the schema of `^c`.
        #expect(with.output.names["\(map)^a"] == "patternProperties2")
        #expect(Rendered(full, path: "api.yaml", lock: lock(with)).source == with.source)
    }

    @Test func aNewParameterOrEventNeverRenamesAnother() {
        func document(_ parameter: String, _ event: String) -> String {
            """
            openapi: 3.1.0
            info: { title: T, version: '1' }
            paths:
              /pets:
                get:
                  operationId: listPets
                  parameters: [\(parameter){ name: page_size, in: query, schema: { type: integer } }]
                  responses: { '204': { description: d } }
            webhooks:
              \(event)
              pet_born: { post: { responses: {} } }
            """
        }
        let old = Rendered(document("", ""), path: "api.yaml")
        let argument = "argument #/paths/~1pets/get/query/page_size"
        #expect(old.output.names[argument] == "pageSize")
        #expect(old.output.names["case #/webhooks/pet_born"] == "petBorn")
        let full = document(
            "{ name: page-size, in: query, schema: { type: integer } }, ",
            "pet-born: { post: { responses: {} } }")
        let without = Rendered(full, path: "api.yaml").output.names
        #expect(without[argument] == "pageSize2")
        #expect(without["case #/webhooks/pet_born"] == "petBorn2")
        let with = Rendered(full, path: "api.yaml", lock: lock(old))
        #expect(with.output.names[argument] == "pageSize")
        #expect(with.output.names["argument #/paths/~1pets/get/query/page-size"] == "pageSize2")
        #expect(with.output.names["case #/webhooks/pet_born"] == "petBorn")
        #expect(with.output.names["case #/webhooks/pet-born"] == "petBorn2")
        let again = Rendered(full, path: "api.yaml", lock: lock(with))
        #expect(again.source == with.source)
    }

    /// A tag that comes later takes no method's name from the client, and keeps what it is called from then on.
    @Test func aNewTagNeverRenamesAMethod() {
        func paths(_ tag: String) -> String {
            """
              /store:
                get: { operationId: store, responses: { '204': { description: d } } }
                put: { operationId: fill, \(tag)responses: { '204': { description: d } } }
            """
        }
        let old = Rendered(document(old, operations: paths("")), path: "api.yaml")
        #expect(old.output.names["#/paths/~1store/get/operationId"] == "store")
        let full = document(self.old, operations: paths("tags: [store], "))
        #expect(Rendered(full, path: "api.yaml").output.names["#/paths/~1store/get/operationId"] == "store2")
        let with = Rendered(full, path: "api.yaml", lock: lock(old))
        #expect(with.output.names["#/paths/~1store/get/operationId"] == "store")
        #expect(with.output.names["resource store"] == "storeOperations")
        #expect(with.output.names["tag store"] == "Store")
        #expect(with.contains("var storeOperations: Store"))
        let again = Rendered(full, path: "api.yaml", lock: lock(with))
        #expect(again.source == with.source)
        let renamed = lock(with).replacingOccurrences(
            of: "\"tag store\": \"Store\"", with: "\"tag store\": \"Shop\"")
        #expect(Rendered(full, path: "api.yaml", lock: renamed).contains("var storeOperations: Shop"))
    }

    /// A type that operations share does not depend on which operations there are.
    @Test func aNewOperationNeverRenamesASharedFailure() {
        func paths(_ names: [String], body: String = "Problem") -> String {
            let problem = "application/json: { schema: { $ref: '#/components/schemas/\(body)' } }"
            return names.map { name in
                """
                  /\(name):
                    get:
                      operationId: \(name)
                      responses:
                        '204': { description: d }
                        '404': { description: d, content: { \(problem) } }
                        default: { description: d, content: { \(problem) } }

                """
            }.joined()
        }
        let schemas = """
                    pet_page: { type: object }
                    Alarm: { type: object, properties: { level: { type: integer } } }
                    Problem: { type: object, properties: { title: { type: string } } }
            """
        let shared = "failures 404 Problem, default Problem"
        let old = Rendered(document(schemas, operations: paths(["m", "n"])), path: "api.yaml")
        #expect(old.output.names[shared] == "NotFoundOrDefaultFailure")
        #expect(old.contains("public typealias MFailure = Test.NotFoundOrDefaultFailure\n"))
        #expect(old.contains("public typealias NFailure = Test.NotFoundOrDefaultFailure\n"))
        #expect(old.contains("enum NotFoundOrDefaultFailure: DocumentedFailure"))
        let more = Rendered(document(schemas, operations: paths(["a", "m", "n", "z"])), path: "api.yaml")
        #expect(more.output.names[shared] == "NotFoundOrDefaultFailure")
        #expect(more.contains("public typealias AFailure = Test.NotFoundOrDefaultFailure\n"))
        // The same statuses with another body: the lock keeps the name of the older one.
        let full = document(schemas, operations: paths(["m", "n"]) + paths(["x", "y"], body: "Alarm"))
        #expect(
            Rendered(full, path: "api.yaml").output.names[shared] == "NotFoundOrDefaultFailure2")
        let with = Rendered(full, path: "api.yaml", lock: lock(old))
        #expect(with.output.names[shared] == "NotFoundOrDefaultFailure")
        #expect(with.output.names["failures 404 Alarm, default Alarm"] == "NotFoundOrDefaultFailure2")
        #expect(Rendered(full, path: "api.yaml", lock: lock(with)).source == with.source)
    }

    @Test func aConfigurationWinsOverALock() {
        let text = lock(Rendered(document(old), path: "api.yaml"))
        let rendered = Rendered(
            document(old), path: "api.yaml", configuration: "names: { '#/components/schemas/pet': Animal }",
            lock: text)
        #expect(rendered.output.names["#/components/schemas/pet"] == "Animal")
    }

    @Test(arguments: [
        ("{}", "openapi.lock:1:1: error: unsupported lock version; delete the file and generate again"),
        (
            #"{"version": 2}"#,
            "openapi.lock:1:1: error: unsupported lock version; delete the file and generate again"
        ),
        (#"{"version": 1}"#, "openapi.lock:1:1: error: missing key \"documents\""),
        ("{", "openapi.lock:1:2: error: "),
        (
            #"{"version": 1, "documents": {"api.yaml": {"a": "B; evil"}}}"#,
            "openapi.lock:1:48: error: the name of \"a\" is not a valid Swift name"
        ),
        (
            ##"{"version": 1, "documents": {"api.yaml": {"property #/a": {"b": "c d"}}}}"##,
            "openapi.lock:1:65: error: the name of \"property #/a/b\" is not a valid Swift name"
        ),
    ])
    func refuses(text: String, expected: String) {
        let rendered = Rendered(document(old), path: "api.yaml", lock: text)
        #expect(rendered.printed.hasPrefix(expected), "\(rendered.printed)")
        #expect(rendered.output.files.isEmpty)
    }

    @Test func aLockedNameIsStillNoNameThatGeneratedCodeUses() {
        let text = ##"{"version": 1, "documents": {"api.yaml": {"#/components/schemas/pet": "String"}}}"##
        let rendered = Rendered(document(old), path: "api.yaml", lock: text)
        #expect(rendered.rules == ["lock"])
    }
}
