import CommandArguments
import Testing

/// One command line for all programs.
@Suite struct ProgramSpecTests {
    private typealias Action = @Sendable (ParsedArguments) throws -> String
    private typealias Command = CommandSpec<Action>

    private static let program: ProgramSpec<Action> = {
        let options = [
            OptionSpec("--count", "-c", .text("N"), help: "How often.", "Default: 1."),
            OptionSpec("--form", nil, .text("FORM"), repeats: true, help: "A form."),
            OptionSpec("--loud", help: "Louder."),
        ]
        var program = ProgramSpec(
            name: "tool",
            commands: [
                Command(
                    name: "say", arguments: "WORD", limit: 1, summary: "says a word", details: ["Slowly."],
                    options: options, examples: ["tool say yes"]
                ) { arguments in
                    let count = try arguments.number("--count", in: 1...9) ?? 1
                    let forms = try arguments.choices("--form", of: ["bold", "plain"], named: { $0 })
                    let words = arguments.positional + forms + (arguments.has("--loud") ? ["loud"] : [])
                    return "say \(count) \(words.joined(separator: " "))"
                },
                Command(name: "stop", limit: nil, summary: "stops", end: "Nothing starts again.") {
                    "stop " + $0.positional.joined(separator: " ")
                },
            ], help: { "tool says\n" })
        program.topics = ["words": { "All words.\n" }]
        program.refusal = { $0 == "--secret" ? "no secrets here" : nil }
        return program
    }()

    private static func run(_ line: String) -> String {
        do {
            let words = line.split(separator: " ").map(String.init)
            switch try program.invocation(words) {
            case .text(let text): return text
            case .command(let action, let arguments): return try action(arguments)
            }
        } catch let error as UsageError {
            return program.text(of: error)
        } catch {
            return "\(error)"
        }
    }

    /// Each command runs its own action, and each option is the one that was given.
    @Test(arguments: [
        ("say yes", "say 1 yes"), ("say yes --count 3", "say 3 yes"), ("say --count=3 yes", "say 3 yes"),
        ("say -c 3 yes --loud", "say 3 yes loud"), ("say -c=3", "say 3 "), ("say -- --loud", "say 1 --loud"),
        ("say -", "say 1 -"), ("say --form bold --form plain x", "say 1 x bold plain"),
        ("stop", "stop "), ("stop a b", "stop a b"),
    ])
    func commandsRun(line: String, result: String) { #expect(Self.run(line) == result) }

    @Test(arguments: [
        ("", "no command was given\nSee: tool --help"),
        ("sya", "unknown command \"sya\"; did you mean \"say\"?\nSee: tool --help"),
        ("--halp", "unknown option \"--halp\"; did you mean \"--help\"?\nSee: tool --help"),
        ("--version", "unknown option \"--version\"\nSee: tool --help"),
        ("say a b", "unexpected argument \"b\"\nSee: tool say --help"),
        ("say --cuont 3", "unknown option \"--cuont\"; did you mean \"--count\"?\nSee: tool say --help"),
        ("say --Authorization:Bearer=x", "unknown option \"--Authorization\"\nSee: tool say --help"),
        ("say --nothing=alike", "unknown option \"--nothing\"\nSee: tool say --help"),
        ("say --secret x", "no secrets here\nSee: tool say --help"),
        ("say --count", "--count needs a value: N\nSee: tool say --help"),
        ("say --count 10", "--count must be a whole number from 1 to 9\nSee: tool say --help"),
        ("say --count x", "--count must be a whole number from 1 to 9\nSee: tool say --help"),
        ("say -c 1 --count 1", "--count was given more than once\nSee: tool say --help"),
        ("say --loud=yes", "--loud takes no value\nSee: tool say --help"),
        (
            "say --form bald",
            "--form must be one of bold, plain, not \"bald\"; did you mean \"bold\"?\nSee: tool say --help"
        ),
        ("help sya", "unknown topic \"sya\"; did you mean \"say\"?\nSee: tool --help"),
        ("help say stop", "only one topic can be given\nSee: tool --help"),
    ])
    func wrongUsageIsNamed(line: String, message: String) { #expect(Self.run(line) == message) }

    @Test func helpIsMadeOfTheSpecification() {
        let help = """
            tool say: says a word

            Usage:
              tool say WORD

            Slowly.

            Options:
              -c, --count N    How often.
                               Default: 1.
                  --form FORM  A form.
                  --loud       Louder.
              -h, --help       Shows this text.

            Examples:
              tool say yes

            """
        for line in ["say --help", "say a b -h", "help say"] { #expect(Self.run(line) == help, "\(line)") }
        for line in ["--help", "-h", "help", "help --help", "--help sya", "-h a b"] {
            #expect(Self.run(line) == "tool says\n")
        }
        #expect(Self.run("help words") == "All words.\n")
        #expect(Self.run("help stop").hasSuffix("\nNothing starts again.\n"))
        var silent = Self.program
        silent.hasCommandHelp = false
        silent.version = "tool 1\n"
        for words in [["say", "--help"], ["help", "say"]] {
            guard case .text("tool says\n")? = try? silent.invocation(words) else {
                Issue.record("\(words)")
                continue
            }
        }
        guard case .text("tool 1\n")? = try? silent.invocation(["--version"]) else {
            Issue.record("no version")
            return
        }
    }
}
