/// The paths of the files of a run, as shown to the user. `SourcePosition.file` is an index into them.
final class SourceFiles {
    private(set) var paths: [String]

    init(document: String) {
        paths = [document]
    }

    /// Adds a file and returns its number.
    func add(_ path: String) -> UInt32 {
        paths.append(path)
        return UInt32(clamping: paths.count - 1)
    }

    /// A path relative to the document's folder, as the user would write it.
    func beside(_ path: String) -> String {
        guard let slash = paths[0].lastIndex(of: "/") else { return path }
        return paths[0][...slash] + path
    }
}
