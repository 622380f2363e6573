// Generates a client whose types all read and write, so that a value can be brought into it and out again:
//
//     generate-both-ways SPEC DIRECTORY NAME
//
// and prints the Swift names of its types and methods by their places, as JSON.
//
// `gateway-openapi generate` leaves out of a type what only the other direction needs; all else is the same.
import Foundation
import OpenAPIGeneration

/// The files of the document's folder.
struct Folder: DocumentSource {
    let url: URL

    func read(_ path: String) throws(Diagnostic) -> [UInt8] {
        guard let data = try? Data(contentsOf: url.appending(path: path)) else {
            throw .error(.unreadableFile, "the file cannot be read", at: nil)
        }
        return [UInt8](data)
    }
}

let arguments = CommandLine.arguments
guard arguments.count == 4 else {
    print("usage: generate-both-ways SPEC DIRECTORY NAME")
    exit(2)
}
let spec = URL(filePath: arguments[1])
let directory = URL(filePath: arguments[2])
var generator = Generator(namespace: arguments[3])
generator.isBothWays = true
let output = generator.run(
    [UInt8](try Data(contentsOf: spec)), path: spec.path,
    documents: Folder(url: spec.deletingLastPathComponent()))
for finding in output.diagnostics where finding.severity == .error { print(finding) }
guard !output.hasErrors else { exit(1) }
try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
for file in output.files {
    let url = directory.appending(path: file.name)
    let data = Data(file.text.utf8)
    if let known = try? Data(contentsOf: url), known == data { continue }
    try data.write(to: url, options: .atomic)
}
let names = try JSONSerialization.data(withJSONObject: output.names, options: .sortedKeys)
print(String(decoding: names, as: UTF8.self))
