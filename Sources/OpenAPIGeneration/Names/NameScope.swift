/// The names of one scope. The first request gets the name; later requests get a number suffix.
struct NameScope {
    private var taken: Set<String>
    /// Fixed names, reserved for their keys.
    private var held: [ExactText: String]

    /// A scope with reserved names and fixed names. A fixed name that is reserved is not used.
    init(reserving names: Set<String> = [], held: [ExactText: String] = [:]) {
        self.held = held.filter { !names.contains($0.value) }
        taken = names.union(held.values)
    }

    /// A scope that keeps the locked names of some places.
    init(reserving names: Set<String> = [], places: [String], in lock: NameLock) {
        var held = [ExactText: String]()
        for place in places {
            held[place] = lock.locked[place]
        }
        self.init(reserving: names, held: held)
    }

    mutating func reserve(_ names: [String]) { taken.formUnion(names) }

    /// The fixed name of a place, otherwise as `claim`.
    @inline(never)
    mutating func claim(_ name: String, for place: String) -> String {
        guard let own = held.removeValue(forKey: ExactText(place)) else { return claim(name) }
        // Two places can have the same fixed name; the second gets a number.
        return given.insert(own).inserted ? own : claim(own)
    }

    /// The fixed name of the first of the places that has one, otherwise as `claim`. All of them are one declaration.
    mutating func claim(_ name: String, forOneOf places: [String]) -> String {
        guard let place = places.first(where: { held[$0] != nil }) else { return claim(name) }
        return claim(name, for: place)
    }

    private var given = Set<String>()

    /// `name`; if it is already used, `name2`, `name3` and so on.
    @inline(never)
    mutating func claim(_ name: String) -> String {
        if taken.insert(name).inserted { return name }
        var number = 2
        while !taken.insert(name + String(number)).inserted { number += 1 }
        return name + String(number)
    }
}
