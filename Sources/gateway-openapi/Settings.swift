import CommandArguments
import OpenAPIGeneration

/// Generator settings from the command line.
struct Settings {
    var name: String?
    var access: AccessLevel?
    var filePrefix: String?
    /// The module of the generated files.
    var module: String?
    /// The configuration file. Nil: the configuration file next to the document, if it exists.
    var configuration: String?
    /// The lock file. Nil: the lock file next to the document, if it exists.
    var lock: String?
    var updatesLock: Bool
    /// The file for the declarations of the client as JSON. Nil: it is not written.
    var declarations: String?
    var isStrict: Bool
    /// Whether files are compared instead of written.
    var isCheck: Bool
    var layout: FileLayout
    /// Whether each warning is listed.
    var isVerbose: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        access = try arguments.choices("--access", of: AccessLevel.allCases, named: \.rawValue).first
        name = arguments.value("--name")
        if let name, !Generator.isValid(namespace: name) {
            throw arguments.error(
                "\"\(name)\" is not a valid client name; use an UpperCamelCase identifier such as Petstore")
        }
        filePrefix = arguments.value("--file-prefix")
        if let filePrefix, !Generator.isValid(filePrefix: filePrefix) {
            throw arguments.error(
                "\"\(filePrefix)\" is not a valid file prefix; use letters, digits and underscores")
        }
        module = arguments.value("--module")
        configuration = arguments.value("--config")
        lock = arguments.value("--lock")
        updatesLock = arguments.has("--update-lock")
        declarations = arguments.value("--declarations")
        isStrict = arguments.has("--strict")
        isCheck = arguments.has("--check")
        isVerbose = arguments.has("--verbose")
        layout =
            try arguments.choices("--layout", of: FileLayout.allCases, named: \.rawValue).first ?? .buckets
    }

    /// The generator for a document, with its configuration and lock file.
    func generator(of path: String) throws(Diagnostic) -> Generator {
        var generator = Generator(namespace: name, access: access)
        generator.filePrefix = filePrefix
        generator.module = module
        generator.isStrict = isStrict
        generator.layout = layout
        generator.givesNames = updatesLock
        generator.givesDeclarations = declarations != nil
        let file = path.split(separator: "/").last.map { String($0) } ?? path
        let usual = Generator.configurationNames(ofFile: file).map { FileAccess.path($0, beside: path) }
        if let path = configuration ?? usual.first(where: { FileAccess.exists($0) }) {
            generator.configuration = Generator.Input(bytes: try read(path), path: path)
        }
        let lock = lockPath(of: path)
        if FileAccess.exists(lock) {
            generator.lock = Generator.Input(bytes: try read(lock), path: lock)
        }
        return generator
    }

    /// The path of a document's lock file.
    func lockPath(of path: String) -> String {
        lock ?? FileAccess.path(LockFile.name, beside: path)
    }

    private func read(_ path: String) throws(Diagnostic) -> [UInt8] {
        do throws(Diagnostic) {
            return try FileAccess.read(path)
        } catch {
            throw .error(error.rule, "\(path): \(error.message)", at: nil)
        }
    }
}
