@testable import OpenAPIGeneration

/// The reader of JSON documents: a tree within its bounds, which reads the same when it is written again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSONDocument(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = FuzzInput(start, count)
    do throws(Diagnostic) {
        let tree = try DocumentReader.read(input.bytes, path: "f.json", sink: DiagnosticSink())
        precondition(tree.depth <= TreeLimits.depth)
        var shuffler = DocumentShuffler(source: FixedSource())
        let text = shuffler.json(tree)
        let again = try DocumentReader.read(Array(text.utf8), path: "f.json", sink: DiagnosticSink())
        var other = DocumentShuffler(source: FixedSource())
        precondition(tree.size == again.size && other.json(again).utf8.count == text.utf8.count)
    } catch { checkPlace(error, in: input.bytes) }
    return 0
}
