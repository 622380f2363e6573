extension JSONElement {
    /// Decodes the value as the branch of a union that it fits best. Branches that cannot be decoded are passed over.
    /// Generated code calls this.
    ///
    /// - Parameters:
    ///   - table: the rows of the branches, as `BranchMatch` reads them.
    ///   - elements: the rows of elements and additional members that `table` refers to.
    ///   - patterns: the patterns that `table` and `elements` refer to, one on each line.
    ///   - isCertain: whether the error of a branch is thrown if the value fits no other one.
    ///   - read: decodes a branch by its number; without a branch that fits, by -1.
    /// - Throws: what `read` throws for -1; `tooComplex`, when elements are compared too many times.
    @_spi(Generated) public func match<Union>(
        _ table: StaticString, elements: StaticString = "", patterns: NamePatterns? = nil,
        isCertain: Bool = false,
        _ read: (Int, JSONElement) throws(JSONError) -> Union
    ) throws(JSONError) -> Union {
        let match = BranchMatch(table: table, elements: elements, patterns: patterns)
        let branches = try match.branches(of: self)
        if isCertain, branches.count == 1 { return try read(branches[0], self) }
        for branch in branches {
            if let value = try? read(branch, self) { return value }
        }
        return try read(-1, self)
    }

    /// The integer of a member that says which variant an object is; nil when it doesn't.
    @_spi(Generated) public func integerDiscriminator(_ key: StaticString) -> Int? {
        self[key]?.integerOrNil
    }

    /// The text of a string; nil when the value is none.
    @_spi(Generated) public var stringOrNil: String? { type == .string ? document.text(at: index) : nil }

    /// The integer that a number is; nil when the value is none.
    @_spi(Generated) public var integerOrNil: Int? { type == .number ? try? integer(Int.self) : nil }

    /// The text of a string or an integer; nil when the value is neither.
    var discriminatorText: String? { stringOrNil ?? integerOrNil.map { String($0) } }
}
