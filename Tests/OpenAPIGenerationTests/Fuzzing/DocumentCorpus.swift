import FuzzCorpora

/// The files that the fuzzers begin with.
enum DocumentCorpus: String, CaseIterable {
    case json = "json-documents"
    case yaml = "yaml-documents"
    case generator = "generator-documents"

    func entries() throws -> [[UInt8]] { try CorpusFile(rawValue).entries() }
}
