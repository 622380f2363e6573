@testable import OpenAPIGeneration

/// The whole generator: the input as a document, and its lines as the names and words of one. What comes out is
/// findings, or source in which no text of the document has left its place; the same each time.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzGenerator(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = FuzzInput(start, count)
    run(input.bytes, path: "f.yaml")
    let words = input.bytes.split(separator: 0x0A, maxSplits: 7, omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
    run(Array(HostileDocument.text(words).utf8), path: "f.json")
    return 0
}

private func run(_ bytes: [UInt8], path: String) {
    var generator = Generator(namespace: "Fuzz")
    let output = generator.run(bytes, path: path)
    for finding in output.diagnostics { checkPlace(finding, in: bytes) }
    precondition(output.hasErrors == output.files.isEmpty)
    for file in output.files {
        if let fault = SourceCheck.fault(in: file.text) { preconditionFailure("\(file.name): \(fault)") }
    }
    guard !output.hasErrors else { return }
    let again = generator.run(bytes, path: path)
    precondition(zip(again.files, output.files).allSatisfy { $0.text == $1.text })
    generator.layout = .names
    var names: Set<String> = []
    for file in generator.run(bytes, path: path).files {
        let parts = file.name.split(separator: "/", omittingEmptySubsequences: false)
        precondition(parts.count <= 2 && !file.name.contains("..") && file.name.utf8.count < 255)
        precondition(names.insert((parts.last ?? "").lowercased()).inserted)
    }
    // The names that come out are a lock that can be read.
    var lock = LockFile()
    lock.set(output.names, of: path)
    let text = lock.text
    do throws(Diagnostic) {
        let read = try LockFile(Array(text.utf8))
        precondition(read.text == text)
    } catch { preconditionFailure(error.message) }
    generator.layout = .buckets
    generator.lock = .init(bytes: Array(text.utf8), path: "openapi.lock")
    let locked = generator.run(bytes, path: path)
    precondition(zip(locked.files, output.files).allSatisfy { $0.text == $1.text }, "a lock changes names")
}
