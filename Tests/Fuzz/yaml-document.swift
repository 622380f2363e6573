@testable import OpenAPIGeneration

/// The reader of YAML documents, libyaml included: a tree within its bounds, whatever aliases make of it; and it
/// means the same as the JSON that it is written as.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzYAMLDocument(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = FuzzInput(start, count)
    do throws(Diagnostic) {
        let tree = try DocumentReader.read(input.bytes, path: "f.yaml", sink: DiagnosticSink())
        precondition(tree.depth <= TreeLimits.depth)
        let size = tree.size
        precondition(size <= TreeLimits.nodes)
        // A bomb within its bounds takes long to write.
        guard size < 20_000 else { return 0 }
        var shuffler = DocumentShuffler(source: FixedSource())
        let text = shuffler.json(tree)
        let again = try DocumentReader.read(Array(text.utf8), path: "f.json", sink: DiagnosticSink())
        precondition(size == again.size)
    } catch { checkPlace(error, in: input.bytes) }
    return 0
}
