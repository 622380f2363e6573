/// The limits of a document.
enum TreeLimits {
    /// Maximum nesting of arrays and objects.
    static let depth = 256
    /// Maximum number of nodes, with aliases expanded.
    static let nodes = 4_000_000
    /// Maximum number of schemas, with unions combined.
    static let schemas = 500_000
    /// Maximum number of files, and their maximum total size in bytes.
    static let files = 20_000
    static let bytes = 268_435_456
    /// Maximum nesting of files.
    static let inclusions = 64
    /// Maximum length of a chain of references.
    static let references = 256
    /// Maximum number of unions that extend each other.
    static let extensions = 4
}
