import CommandArguments

/// The arguments that this process was started with.
enum ProcessArguments {
    /// All but the program's name.
    ///
    /// `CommandLine.arguments` replaces bytes that are not UTF-8, and other content would be sent or another file used.
    ///
    /// - Throws: `UsageError` if an argument is not UTF-8.
    static func read() throws(UsageError) -> [String] {
        var arguments: [String] = []
        for number in 1..<max(1, Int(CommandLine.argc)) {
            guard let bytes = unsafe CommandLine.unsafeArgv[number],
                let argument = unsafe String(validatingCString: bytes)
            else {
                let isCall = arguments.first == Commands.call.name
                throw UsageError(
                    "argument \(number) is not text in UTF-8"
                        + (isCall ? "; --data-file sends any bytes" : ""),
                    command: isCall ? Commands.call.name : nil)
            }
            arguments.append(argument)
        }
        return arguments
    }
}
