internal import GatewayPatterns

/// The patterns of `patternProperties`: a line for each member of a generated type, its patterns separated by tabs.
///
/// A name belongs to the first line with a pattern that matches it.
@_spi(Generated) public struct NamePatterns: Sendable {
    private let lines: [[TextPattern]]

    /// Reads the lines. The generator leaves out patterns that are not supported.
    public init(_ lines: StaticString) {
        self.lines = "\(lines)".split(separator: "\n").map { line in
            line.split(separator: "\t").compactMap { TextPattern(String($0)) }
        }
    }

    /// The line that a name belongs to.
    ///
    /// - Parameter work: The work that is left. A name that needs more belongs to no line.
    func line(of name: String, work: inout Int) -> Int? {
        lines.firstIndex { patterns in patterns.contains { $0.matches(name, work: &work) == true } }
    }

    /// The line that a name of the caller belongs to.
    package func line(of name: String) -> Int? {
        var work = TextPattern.work
        return line(of: name, work: &work)
    }
}

extension NamePatterns {
    /// Whether a pattern of a line matches a name. A name that needs more work than is left is not matched.
    func matches(_ name: String, line: Int, work: inout Int) -> Bool {
        lines.indices.contains(line) && lines[line].contains { $0.matches(name, work: &work) == true }
    }
}

extension JSONObject {
    /// The members whose names match the patterns of a line, but those named.
    ///
    /// - Throws: `duplicateKey`, as ``additional(_:)`` does.
    @_spi(Generated) public func matching<Value: JSONDecodable>(
        _ known: [String], _ patterns: NamePatterns, _ line: Int
    ) throws(JSONError) -> [String: Value] {
        try members(known, patterns, line)
    }

    /// All members but those named and those that match a pattern.
    ///
    /// - Throws: `duplicateKey`, as ``additional(_:)`` does.
    @_spi(Generated) public func unmatched<Value: JSONDecodable>(
        _ known: [String], _ patterns: NamePatterns
    ) throws(JSONError) -> [String: Value] {
        try members(known, patterns, nil)
    }

    /// As ``unmatched(_:_:)``, with their values as compact JSON.
    @_spi(Generated) public func unknownUnmatched(
        _ known: [StaticString], _ patterns: NamePatterns
    ) throws(JSONError) -> UnknownProperties {
        var result: [UnknownProperties.Property] = []
        for property in try unknown(known).properties
        where try line(of: property.name, patterns) == nil {
            result.append(property)
        }
        return UnknownProperties(result)
    }

    private func members<Value: JSONDecodable>(
        _ known: [String], _ patterns: NamePatterns, _ line: Int?
    ) throws(JSONError) -> [String: Value] {
        var result: [String: Value] = [:]
        for member in members where !known.contains(where: { $0.utf8.elementsEqual(member.name.utf8) }) {
            guard try self.line(of: member.name, patterns) == line else { continue }
            guard result.updateValue(try Value(json: member.element), forKey: member.name) == nil else {
                throw JSONError(
                    .duplicateKey, .fixed("duplicate key: two names are canonically equivalent"),
                    at: .value(member.element))
            }
        }
        return result
    }

    private func line(of name: String, _ patterns: NamePatterns) throws(JSONError) -> Int? {
        var work = TextPattern.work
        let line = patterns.line(of: name, work: &work)
        try document.watch?.charge((TextPattern.work - work) / 16_384)
        return line
    }
}

extension JSONWriter {
    /// Members whose names match the patterns of a line. Another name cannot be written: it would be read as another
    /// member.
    @_spi(Generated) public mutating func matching<Value: JSONEncodable>(
        _ members: [String: Value], _ known: [String], _ patterns: NamePatterns, _ line: Int
    ) {
        write(members, known, patterns, line)
    }

    /// Members whose names match no pattern.
    @_spi(Generated) public mutating func unmatched<Value: JSONEncodable>(
        _ members: [String: Value], _ known: [String], _ patterns: NamePatterns
    ) {
        write(members, known, patterns, nil)
    }

    /// Members that a document does not define, whose names match no pattern.
    @_spi(Generated) public mutating func unknownUnmatched(
        _ members: UnknownProperties, _ known: [StaticString], _ patterns: NamePatterns
    ) {
        if members.names.contains(where: { patterns.line(of: $0) != nil }) { failName() }
        unknown(members, known)
    }

    private mutating func write<Value: JSONEncodable>(
        _ members: [String: Value], _ known: [String], _ patterns: NamePatterns, _ line: Int?
    ) {
        if members.keys.contains(where: { patterns.line(of: $0) != line }) { failName() }
        additional(members, known)
    }

    private mutating func failName() { fail("a name does not match the pattern of its property") }
}
