import Foundation
import Testing

@_spi(Generated) @testable import GatewayJSON

/// Unions as they are generated: branches that do not fit are passed over.
@Suite struct UnionReadingTests {
    private struct Named: JSONObjectDecodable {
        init(fields o: inout JSONObject) throws(JSONError) { _ = try o.string("name") }
    }

    private enum Tagged: JSONDecodable {
        case named, unrecognized
        init(json: JSONElement) throws(JSONError) {
            switch json.discriminator("kind") {
            case "named"?: self = .named
            default: self = json.integerDiscriminator("name") == nil ? .unrecognized : .named
            }
        }
    }

    private enum Tried: JSONDecodable {
        case named, unrecognized
        init(json: JSONElement) throws(JSONError) {
            if (try? Named(json: json)) != nil { self = .named } else { self = .unrecognized }
        }
    }

    private enum Matched: JSONDecodable {
        case numbers([Int]), names([Named]), named(Named), unrecognized(JSONValue)

        init(json _json: JSONElement) throws(JSONError) {
            switch _json.type {
            case JSONType.array:
                self = try _json.match("1[3,\n0[0,\n", elements: "*B\n-!Dname\n", Self.init(_branch:json:))
            case JSONType.object:
                self = try _json.match("2-!Dname\n", isCertain: true, Self.init(_branch:json:))
            default: self = .unrecognized(try JSONValue(json: _json))
            }
        }

        private init(_branch: Int, json _json: JSONElement) throws(JSONError) {
            switch _branch {
            case 0: self = .numbers(try [Int](json: _json))
            case 1: self = .names(try [Named](json: _json))
            case 2: self = .named(try Named(json: _json))
            default: self = .unrecognized(try JSONValue(json: _json))
            }
        }
    }

    @Test(arguments: [
        ("[1,2]", "numbers"), (#"[{"name":"a"}]"#, "names"), ("[]", "names"), (#"{"name":"a"}"#, "named"),
        ("[1.5]", "unrecognized"), (#"[1,{"name":"a"}]"#, "unrecognized"), (#"{"name":1}"#, "unrecognized"),
        ("1", "unrecognized"),
    ])
    func theBranchThatFitsIsDecoded(json: String, branch: String) throws {
        let value = try Matched(jsonBytes: Array(json.utf8))
        #expect(String(describing: value).prefix { $0 != "(" } == branch)
    }

    /// Two branches that hold the union itself and fail behind it.
    private indirect enum Tree: JSONDecodable {
        case leaf, unrecognized(JSONValue)
        init(json: JSONElement) throws(JSONError) {
            guard json.type == .object else {
                self = .leaf
                return
            }
            if (try? Self.branch(json)) == nil, (try? Self.branch(json)) == nil {
                self = .unrecognized(try JSONValue(json: json))
            } else {
                self = .leaf
            }
        }
        private static func branch(_ json: JSONElement) throws(JSONError) -> Bool {
            var object = try json.object()
            let _: Tree = try object.required("tree")
            return try object.bool("mark")
        }
    }

    /// The time of this thread grows with the number of values that fit no branch; with a walk from the root for each of them
    /// it would grow with the square.
    @Test func whatDoesNotFitIsPassedOverAtOnce() throws {
        _ = try timeOfMisfits(10)
        let (few, many) = (try timeOfMisfits(1_000), try timeOfMisfits(16_000))
        #expect(many < few * 64, "\(few), \(many)")
    }

    private func timeOfMisfits(_ count: Int) throws -> Duration {
        func array(_ element: String) -> [UInt8] {
            Array("[\(Array(repeating: element, count: count).joined(separator: ","))]".utf8)
        }
        let start = Self.threadTime
        for element in [#"{"kind":1}"#, #"{"name":"1"}"#, "{}", "[]"] {
            #expect(try [Tagged](jsonBytes: array(element)).allSatisfy { $0 == .unrecognized })
        }
        for element in [#"{"name":1}"#, "{}", "[]"] {
            #expect(try [Tried](jsonBytes: array(element)).allSatisfy { $0 == .unrecognized })
        }
        let members = (0..<count).map { #""\#($0)":{"kind":1}"# }.joined(separator: ",")
        #expect(try [String: Tagged](jsonBytes: Array("{\(members)}".utf8)).count == count)
        return Self.threadTime - start
    }

    private static var threadTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    private func tree(_ depth: Int) -> [UInt8] {
        Array(
            (String(repeating: #"{"tree":"#, count: depth) + "1"
                + String(repeating: #","mark":0}"#, count: depth)).utf8)
    }

    @Test(.timeLimit(.minutes(1))) func branchesThatMultiplyAreRefused() throws {
        _ = try Tree(jsonBytes: tree(8))
        do throws(JSONError) {
            _ = try Tree(jsonBytes: tree(200))
            Issue.record("decoded")
        } catch {
            #expect(error.code == .tooComplex)
        }
    }

    /// A document that is kept may be read as often as one likes, also one that a value was decoded from.
    @Test func readingAgainIsNotLimited() throws {
        struct Kept: JSONDecodable {
            let json: JSONElement
            init(json: JSONElement) { self.json = json }
        }
        let bytes = Array("[\(Array(repeating: "1", count: 1_000).joined(separator: ","))]".utf8)
        for root in [try JSONDocument(bytes).root, try Kept(jsonBytes: bytes).json] {
            for _ in 0..<100 { #expect(try [Int](json: root).count == 1_000) }
        }
    }

    @Test func anErrorHoldsNoDocument() throws {
        weak var document: JSONDocument?
        struct Kept: JSONDecodable {
            init(json: JSONElement) throws(JSONError) { throw json.wrongFormat("an ISBN") }
        }
        struct Holder: JSONDecodable {
            static nonisolated(unsafe) weak var document: JSONDocument?
            init(json: JSONElement) throws(JSONError) {
                Self.document = json.document
                let _: [Kept] = try [Kept](json: json)
            }
        }
        do throws(JSONError) {
            _ = try Holder(jsonBytes: Array("[1]".utf8))
            Issue.record("decoded")
        } catch {
            document = Holder.document
            #expect(document == nil)
            #expect(error.description == "wrong_format at $[0]: an ISBN is expected")
        }
    }

    @Test(arguments: [(7, true), (6, false), (0, false), (-1, false), (.min, false), (.max, true)])
    func valuesAreCounted(limit: Int, isRead: Bool) throws {
        let bytes = Array(#"{"a":[1,2],"b":{}}"#.utf8)
        do throws(JSONError) {
            _ = try JSONDocument(bytes, limits: JSONLimits(values: limit))
            #expect(isRead)
        } catch {
            #expect(!isRead && error.code == .tooLarge)
        }
    }
}
