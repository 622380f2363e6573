import CommandArguments

/// Scripts by which shells complete the command, made of the specifications.
enum CompletionScript {
    private static let commands = Commands.program.commands.map(\.name)
    private static let options = ["--help", "--version"]

    /// For bash 3.2 and later, without bash-completion.
    static var bash: String {
        var files: [String] = []
        var others: [String] = []
        for spec in Commands.program.commands {
            for option in spec.options {
                let words = option.spellings.map { "\"\(spec.name) \($0)\"" }
                switch option.value {
                case .file: files += words
                case .text: others += words
                case .none: break
                }
            }
        }
        let cases = Commands.program.commands.map { spec in
            let options = spec.allOptions.flatMap(\.spellings).joined(separator: " ")
            return """
                        \(spec.name))
                            if [[ "$current" == -* ]]; then
                                COMPREPLY=($(compgen -W "\(options)" -- "$current"))
                            elif [ "$COMP_CWORD" -eq 2 ]; then
                                COMPREPLY=($(compgen -W "\(spec.words.joined(separator: " "))" -- "$current"))
                            fi
                            ;;
                """
        }
        return """
            # Completes gateway in bash. In ~/.bashrc: source <(gateway completion bash)
            _gateway() {
                local current="${COMP_WORDS[COMP_CWORD]}"
                local previous="${COMP_WORDS[COMP_CWORD - 1]}"
                local command="${COMP_WORDS[1]}"
                COMPREPLY=()
                if [ "$COMP_CWORD" -eq 1 ]; then
                    local first="\(commands.joined(separator: " "))"
                    if [[ "$current" == -* ]]; then first="\(options.joined(separator: " "))"; fi
                    COMPREPLY=($(compgen -W "$first" -- "$current"))
                    return
                fi
                case "$command $previous" in
                    \(files.joined(separator: " | ")))
                        COMPREPLY=($(compgen -f -- "$current"))
                        return
                        ;;
                    \(others.joined(separator: " | ")))
                        return
                        ;;
                esac
                case "$command" in
            \(cases.joined(separator: "\n"))
                esac
            }
            complete -o filenames -F _gateway gateway

            """
    }

    /// For zsh, as a file `_gateway` in one of the folders of `fpath`.
    static var zsh: String {
        let names = Commands.program.commands.map { "'\($0.name):\(quoted($0.summary))'" }.joined(
            separator: " ")
        let cases = Commands.program.commands.map { spec in
            var lines = spec.allOptions.flatMap { option in
                option.spellings.map { spelling in
                    let repeats = option.repeats ? "*" : ""
                    return "'\(repeats)\(spelling)[\(quoted(option.help[0]))]\(action(option.value))'"
                }
            }
            lines.append(spec.words.isEmpty ? "'*: :'" : "'1: :(\(spec.words.joined(separator: " ")))'")
            return "        \(spec.name)) _arguments \(lines.joined(separator: " ")) ;;"
        }
        return """
            #compdef gateway
            # Completes gateway in zsh: a file named _gateway in one of the folders of $fpath.
            _gateway() {
                local -a commands
                commands=(\(names))
                if ((CURRENT == 2)); then
                    if [[ $words[2] == -* ]]; then
                        compadd -- \(options.joined(separator: " "))
                    else
                        _describe command commands
                    fi
                    return
                fi
                local command=$words[2]
                shift words
                ((CURRENT--))
                case $command in
            \(cases.joined(separator: "\n"))
                esac
            }
            if [ "$funcstack[1]" = "_gateway" ]; then _gateway "$@"; else compdef _gateway gateway; fi

            """
    }

    private static func action(_ value: OptionSpec.Value) -> String {
        switch value {
        case .none: ""
        case .text(let name): ":\(name): "
        case .file(let name): ":\(name):_files"
        }
    }

    /// Text that stands between single quotes, and within it between brackets.
    private static func quoted(_ text: String) -> String {
        var quoted = ""
        for character in text {
            switch character {
            case "'": quoted += "'\\''"
            case "[", "]", ":", "\\": quoted += "\\" + String(character)
            default: quoted.append(character)
            }
        }
        return quoted
    }
}
