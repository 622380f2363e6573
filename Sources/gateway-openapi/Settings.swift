import OpenAPIGeneration

/// Generator settings from the command line.
struct Settings {
    var name: String?
    var access: AccessLevel?
    var filePrefix: String?
    /// The configuration file. Nil: the one next to the document, if it exists.
    var configuration: String?
    /// The lock file. Nil: the one next to the document, if it exists.
    var lock: String?
    var updatesLock: Bool
    var isStrict: Bool
    /// Whether files are compared, not written.
    var isCheck: Bool
    var layout = FileLayout.buckets
    /// Whether each warning is listed.
    var isVerbose: Bool

    init(_ options: ParsedOptions, command: String) throws(UsageError) {
        if let text = options.values["--access"] {
            guard let level = AccessLevel(rawValue: text) else {
                let known = AccessLevel.allCases.map(\.rawValue)
                throw UsageError(
                    "--access must be one of \(known.joined(separator: ", ")), not \"\(text)\""
                        + Suggestion.text(text, of: known), command: command)
            }
            access = level
        }
        if let name = options.values["--name"], !Generator.isValid(namespace: name) {
            throw UsageError(
                "\"\(name)\" is not a valid client name; use an UpperCamelCase identifier such as Petstore",
                command: command)
        }
        if let prefix = options.values["--file-prefix"], !Generator.isValid(filePrefix: prefix) {
            throw UsageError(
                "\"\(prefix)\" is not a valid file prefix; use letters, digits and underscores",
                command: command)
        }
        name = options.values["--name"]
        filePrefix = options.values["--file-prefix"]
        configuration = options.values["--config"]
        lock = options.values["--lock"]
        updatesLock = options.flags.contains("--update-lock")
        isStrict = options.flags.contains("--strict")
        isCheck = options.flags.contains("--check")
        isVerbose = options.flags.contains("--verbose")
        if let text = options.values["--layout"] {
            let known = FileLayout.allCases.map(\.rawValue)
            guard let layout = FileLayout(rawValue: text) else {
                throw UsageError(
                    "--layout must be one of \(known.joined(separator: ", ")), not \"\(text)\""
                        + Suggestion.text(text, of: known), command: command)
            }
            self.layout = layout
        }
    }

    /// The generator for a document, with its configuration and lock file.
    func generator(of path: String) throws(Diagnostic) -> Generator {
        var generator = Generator(namespace: name, access: access)
        generator.filePrefix = filePrefix
        generator.isStrict = isStrict
        generator.layout = layout
        generator.givesNames = updatesLock
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
