/// The names of one scope. The first who asks for a name gets it, later ones a number behind it.
struct NameScope {
    private var taken: Set<String>

    /// A scope in which some names are taken from the start.
    init(reserving names: Set<String> = []) {
        taken = names
    }

    /// `name`, or `name2`, `name3` and so on where it is taken.
    mutating func claim(_ name: String) -> String {
        if taken.insert(name).inserted { return name }
        var number = 2
        while !taken.insert(name + String(number)).inserted { number += 1 }
        return name + String(number)
    }
}
