import Foundation
import Testing

/// Which files a second run writes.
@Suite struct RegenerationTests {
    private let tool = ToolRunner()

    /// The files that a run writes, all of them having been old before.
    private func written(_ path: String, edit: (String) -> String) throws -> [String] {
        let out = tool.directory.appending(path: "out")
        let spec = try tool.write(try fixture(path), path)
        #expect(try tool.run(["generate", spec, "--output", out.path]).status == 0)
        let old = Date(timeIntervalSince1970: 1_000_000)
        let names = try FileManager.default.contentsOfDirectory(atPath: out.path)
        for name in names {
            try FileManager.default.setAttributes(
                [.modificationDate: old], ofItemAtPath: out.appending(path: name).path)
        }
        _ = try tool.write(edit(try fixture(path)), path)
        #expect(try tool.run(["generate", spec, "--output", out.path]).status == 0)
        return try names.filter {
            let attributes = try FileManager.default.attributesOfItem(atPath: out.appending(path: $0).path)
            return attributes[.modificationDate] as? Date != old
        }
    }

    @Test func nothingIsWrittenWhereNothingChanged() throws {
        #expect(try written("Petstore.openapi.yaml") { $0 }.isEmpty)
        #expect(try written("Petstore.openapi.yaml") { "# A comment.\n" + $0 }.isEmpty)
    }

    @Test func oneEditedSchemaRewritesOneFile() throws {
        let files = try written("Petstore.openapi.yaml") { text in
            let name = "        name: { type: string }\n"
            #expect(text.contains(name))
            return text.replacingOccurrences(of: name, with: name + "        zz_new: { type: boolean }\n")
        }
        #expect(files.count == 1, "\(files)")
        #expect(files.allSatisfy { $0.hasPrefix("PetstoreSchemas.") })
    }
}
