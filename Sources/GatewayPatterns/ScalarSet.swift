/// A set of Unicode scalar values, by ranges or by general category.
struct ScalarSet: Sendable {
    /// Sorted and disjoint.
    private var ranges: [ClosedRange<UInt32>] = []
    private var categories: [(names: Set<String>, isNegative: Bool)] = []
    private var isNegative = false

    init() {}

    init(_ ranges: ClosedRange<UInt32>...) { self.ranges = ranges }

    init(_ scalar: Unicode.Scalar) { ranges = [scalar.value...scalar.value] }

    /// The scalars of a general category, such as `Lu`, or of a group of them, such as `L`. Nil if there is no such one.
    init?(category name: String, isNegative: Bool) {
        guard let names = Self.categories(name) else { return nil }
        categories = [(names, isNegative)]
    }

    static let all = ScalarSet(0...0x10FFFF)
    static let digits = ScalarSet(0x30...0x39)
    static let word = ScalarSet(0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A)
    /// White space and line terminators of ECMA-262.
    static let spaces = ScalarSet(
        0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029,
        0x202F...0x202F, 0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF)
    static let lineEnds = ScalarSet(0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029)

    /// All scalars that are not in this set.
    var inverted: ScalarSet {
        var result = self
        result.isNegative.toggle()
        return result
    }

    /// The only scalar, if there is one.
    var only: UInt32? {
        guard !isNegative, categories.isEmpty, ranges.count == 1, ranges[0].count == 1 else { return nil }
        return ranges[0].lowerBound
    }

    /// Adds the scalars of another set. Sets that are inverted are kept as they are.
    mutating func add(_ other: ScalarSet) {
        if other.isNegative {
            others.append(other)
        } else {
            ranges += other.ranges
            categories += other.categories
            others += other.others
        }
    }

    private var others: [ScalarSet] = []

    func contains(_ scalar: Unicode.Scalar) -> Bool { includes(scalar) != isNegative }

    private func includes(_ scalar: Unicode.Scalar) -> Bool {
        for range in ranges where range.contains(scalar.value) { return true }
        for category in categories
        where category.names.contains(Self.name(of: scalar.properties.generalCategory)) != category.isNegative
        {
            return true
        }
        for other in others where other.contains(scalar) { return true }
        return false
    }
}

extension ScalarSet {
    private static let groups: [String: Set<String>] = [
        "L": ["Lu", "Ll", "Lt", "Lm", "Lo"], "LC": ["Lu", "Ll", "Lt"], "M": ["Mn", "Mc", "Me"],
        "N": ["Nd", "Nl", "No"], "P": ["Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po"],
        "S": ["Sm", "Sc", "Sk", "So"], "Z": ["Zs", "Zl", "Zp"], "C": ["Cc", "Cf", "Cs", "Co", "Cn"],
    ]

    private static let longNames = [
        "Letter": "L", "Cased_Letter": "LC", "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll",
        "Titlecase_Letter": "Lt", "Mark": "M", "Number": "N", "Decimal_Number": "Nd", "Punctuation": "P",
        "punct": "P", "Symbol": "S", "Separator": "Z", "Space_Separator": "Zs", "Other": "C",
        "Control": "Cc",
    ]

    private static func categories(_ name: String) -> Set<String>? {
        var name = name
        for prefix in ["General_Category=", "gc="] where name.hasPrefix(prefix) {
            name.removeFirst(prefix.count)
        }
        name = longNames[name] ?? name
        if let group = groups[name] { return group }
        return groups.values.contains { $0.contains(name) } ? [name] : nil
    }

    private static func name(of category: Unicode.GeneralCategory) -> String {
        switch category {
        case .uppercaseLetter: "Lu"
        case .lowercaseLetter: "Ll"
        case .titlecaseLetter: "Lt"
        case .modifierLetter: "Lm"
        case .otherLetter: "Lo"
        case .nonspacingMark: "Mn"
        case .spacingMark: "Mc"
        case .enclosingMark: "Me"
        case .decimalNumber: "Nd"
        case .letterNumber: "Nl"
        case .otherNumber: "No"
        case .connectorPunctuation: "Pc"
        case .dashPunctuation: "Pd"
        case .openPunctuation: "Ps"
        case .closePunctuation: "Pe"
        case .initialPunctuation: "Pi"
        case .finalPunctuation: "Pf"
        case .otherPunctuation: "Po"
        case .mathSymbol: "Sm"
        case .currencySymbol: "Sc"
        case .modifierSymbol: "Sk"
        case .otherSymbol: "So"
        case .spaceSeparator: "Zs"
        case .lineSeparator: "Zl"
        case .paragraphSeparator: "Zp"
        case .control: "Cc"
        case .format: "Cf"
        case .surrogate: "Cs"
        case .privateUse: "Co"
        case .unassigned: "Cn"
        @unknown default: "Cn"
        }
    }
}
