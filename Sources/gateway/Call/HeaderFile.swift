import GatewayClient

/// A file with header fields, one a line.
enum HeaderFile {
    /// The fields; empty lines do not count.
    static func read(_ path: String) throws -> [HTTPField] {
        let text: Secret
        do {
            text = try SecretFile.read(path, upToBytes: 64 << 10)
        } catch {
            throw CommandFailure(ExitStatus.usage, "--header-file: \(error.reason)")
        }
        return try text.exposed.split(whereSeparator: \.isNewline).enumerated().map { number, line in
            guard let field = CallArguments.field(String(line)) else {
                throw CommandFailure(
                    ExitStatus.usage, "--header-file: line \(number + 1) is not \"Name: value\"")
            }
            return field
        }
    }
}
