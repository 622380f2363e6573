/// Asks a zsh of its own, at a terminal of its own, what Tab offers.
enum ZshCompletion {
    static let path = "/usr/bin/zsh"

    /// For `zsh -f -c`: the first argument is run before `compinit`, the second after it, and each other one is a line that
    /// Tab is pressed at the end of. For each of them it prints `@line@`, and then what is offered, one a line.
    ///
    /// `compadd` is what offers. The one that stands in its place tells what the real one would, unless it is asked to
    /// fill a variable.
    static let script = #"""
        zmodload zsh/zpty || exit 1
        zpty child zsh -f -i
        # Waits for what the child prints; the quotes keep the echo of the line from being taken for it.
        run() { zpty -w child "$1; print @do''ne@" && zpty -r child REPLY '*@done@*' }
        run "PROMPT= RPROMPT=; $1; autoload -Uz compinit && compinit -u -D; $2"
        run 'bindkey "^I" complete-word
            finish() { print @do""ne@; comppostfuncs=(finish) }
            comppostfuncs=(finish)
            compadd() {
                if [[ " ${@[1,(i)(-|--)]}" == *\ -(O|A|D)\ * ]]; then
                    builtin compadd "$@"
                    return
                fi
                local -a found
                builtin compadd -A found "$@"
                local match
                for match in $found; do print -r -- "@offer@$match@"; done
            }'
        for line in "${@:3}"; do
            zpty -w -n child "$line"$'\t'
            zpty -r child REPLY '*@done@*'
            print @line@
            print -r -- "$REPLY" | tr -d '\r' | sed -n 's/.*@offer@\(.*\)@$/\1/p'
            # Ctrl-U clears the line.
            zpty -w -n child $'\x15'
        done
        zpty -d child
        """#
}
