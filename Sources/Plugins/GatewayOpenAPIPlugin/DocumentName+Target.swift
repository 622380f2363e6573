import Foundation
import PackagePlugin

extension DocumentName {
    /// The documents of a target, ordered by path. Two documents with the same name are an error.
    static func documents(of target: any SourceModuleTarget) -> [(name: String, file: URL)] {
        var seen: [String: URL] = [:]
        var result: [(name: String, file: URL)] = []
        for file in target.sourceFiles.map(\.url).sorted(by: { $0.path < $1.path }) {
            guard let name = namespace(ofFile: file.lastPathComponent) else { continue }
            if let other = seen[name] {
                Diagnostics.error(
                    "\(file.path) and \(other.path) both generate \(name)Client; rename one of them")
                continue
            }
            seen[name] = file
            result.append((name, file))
        }
        return result
    }
}
