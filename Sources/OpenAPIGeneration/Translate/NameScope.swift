/// The names of one scope. The first who asks for a name gets it, later ones a number behind it.
struct NameScope {
    private var taken: Set<String>
    /// Names that are kept for whom they are settled.
    private var held: [String: String]

    /// A scope in which some names are taken from the start, and others belong to certain places.
    init(reserving names: Set<String> = [], held: [String: String] = [:]) {
        self.held = held
        taken = names.union(held.values)
    }

    /// The name that is settled for a place, else as `claim` for any.
    mutating func claim(_ name: String, for place: String) -> String {
        guard let own = held.removeValue(forKey: place) else { return claim(name) }
        // Two places may be given one name; the second gets a number.
        return given.insert(own).inserted ? own : claim(own)
    }

    private var given: Set<String> = []

    /// `name`, or `name2`, `name3` and so on where it is taken.
    mutating func claim(_ name: String) -> String {
        if taken.insert(name).inserted { return name }
        var number = 2
        while !taken.insert(name + String(number)).inserted { number += 1 }
        return name + String(number)
    }
}
