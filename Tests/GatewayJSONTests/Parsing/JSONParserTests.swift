import Foundation
import GatewayJSON
import Testing

@Suite struct JSONParserTests {
    static let valid = [
        "null", "true", "false", "0", "-0", "12", "-1.5e+3", "1E9", "\"\"", "\"a\"", "[]", "{}", " [ ] ",
        "[1,2 , 3]", #"{"a":{"b":[{}]}}"#, #""\"\\\/\b\f\n\r\t\u0041\uD83D\uDE00""#, "\"é😀\u{7F}\"",
        "\t\r\n 1 \n", #"{"":1," ":2}"#, #"{"a":1,"A":2}"#, "[[[[[]]]]]",
    ]

    @Test(arguments: valid) func acceptsWhatFoundationAccepts(text: String) throws {
        let tree = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
        let value = try JSONValue(jsonBytes: Array(text.utf8))
        #expect(matches(value, tree), "\(value) against \(tree)")
    }

    static let invalid: [(String, JSONError.Code)] = [
        ("", .syntax), (" ", .syntax), ("nul", .syntax), ("nulll", .syntax), ("True", .syntax),
        ("01", .syntax),
        ("-", .syntax), ("+1", .syntax), (".5", .syntax), ("1.", .syntax), ("1e", .syntax), ("1e+", .syntax),
        ("0x1", .syntax), ("NaN", .syntax), ("Infinity", .syntax), ("\"", .syntax), ("\"a", .syntax),
        ("\"\\\"", .syntax), ("\"\\x\"", .syntax), ("\"\\u12\"", .syntax), ("\"\\u12G4\"", .syntax),
        ("\"\u{1}\"", .syntax), ("\"a\nb\"", .syntax), ("'a'", .syntax), ("[", .syntax), ("[1", .syntax),
        ("[1,", .syntax), ("[1,]", .syntax), ("[,1]", .syntax), ("[1 2]", .syntax), ("]", .syntax),
        ("[}", .syntax), ("{", .syntax), ("{\"a\"", .syntax), ("{\"a\":", .syntax), ("{\"a\":1,}", .syntax),
        ("{a:1}", .syntax), ("{1:1}", .syntax), ("{\"a\" 1}", .syntax), ("{]", .syntax), ("1 2", .syntax),
        ("[] []", .syntax), ("// c\n1", .syntax), ("[1]/**/", .syntax), ("\u{A0}1", .syntax),
        ("{,\"a\":1}", .syntax), ("\"\\uD800\"", .encoding), ("\"\\uDC00\"", .encoding),
        ("\"\\uD800\\u0041\"", .encoding), ("\"\\uD800x\"", .encoding), ("{\"a\":1,\"a\":2}", .duplicateKey),
        ("{\"a\":1,\"\\u0061\":2}", .duplicateKey),
    ]

    @Test(arguments: invalid) func refuses(text: String, code: JSONError.Code) {
        #expect(throws: JSONError.self) { try JSONDocument(Array(text.utf8)) }
        do throws(JSONError) {
            _ = try JSONDocument(Array(text.utf8))
        } catch {
            #expect(error.code == code, "\(error)")
            #expect(error.offset != nil)
        }
    }

    static let brokenUTF8: [[UInt8]] = [
        [0x80], [0xBF], [0xC0, 0xAF], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x9F, 0xBF], [0xE2, 0x82],
        [0xED, 0xA0, 0x80], [0xEF, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98],
        [0xF4, 0x90, 0x80, 0x80],
        [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF],
    ]

    @Test(arguments: brokenUTF8) func refusesBrokenUTF8(bytes: [UInt8]) {
        for tail in [[UInt8](), Array("abcd".utf8)] {
            do throws(JSONError) {
                _ = try JSONDocument([0x22] + bytes + tail + [0x22])
                Issue.record("accepted")
            } catch {
                #expect(error.code == .encoding)
            }
        }
    }

    @Test func acceptsTheEdgesOfUTF8() throws {
        for scalar in [
            "\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}",
        ] {
            #expect(try String(jsonBytes: Array("\"\(scalar)\"".utf8)) == scalar)
        }
    }

    @Test func ignoresAByteOrderMark() throws {
        #expect(try Int(jsonBytes: [0xEF, 0xBB, 0xBF] + Array("7".utf8)) == 7)
    }

    @Test func limitsDepth() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        _ = try JSONDocument(nested(256))
        #expect(throws: JSONError.self) { try JSONDocument(nested(257)) }
        // Hostile depth costs neither the stack nor much time.
        #expect(throws: JSONError.self) {
            try JSONDocument([UInt8](repeating: UInt8(ascii: "["), count: 1_000_000))
        }
        _ = try JSONDocument(nested(100_000), limits: JSONLimits(depth: 100_000, bytes: 1 << 20))
    }

    @Test func limitsSize() throws {
        do throws(JSONError) {
            _ = try JSONDocument(Array("[1,2,3]".utf8), limits: JSONLimits(depth: 4, bytes: 6))
            Issue.record("accepted")
        } catch {
            #expect(error.code == .tooLarge)
        }
    }

    @Test(arguments: [Int.min, -1, 0, 1, 2, 6, 7, .max - 1, .max]) func anyLimitIsSafe(limit: Int) throws {
        func isRead(_ limits: JSONLimits) -> Bool {
            (try? JSONDocument(Array("[[1,2]]".utf8), limits: limits)) != nil
        }
        #expect(isRead(JSONLimits(depth: limit)) == (limit >= 2))
        #expect(isRead(JSONLimits(bytes: limit)) == (limit >= 7))
        #expect(isRead(JSONLimits(values: limit)) == (limit >= 4))
    }

    @Test(arguments: [2, 12, 32, 33, 40, 1_000]) func findsADuplicateAmongManyKeys(count: Int) throws {
        let members = (0..<count).map { "\"k\($0)\":\($0)" }
        _ = try JSONDocument(Array("{\(members.joined(separator: ","))}".utf8))
        let twice = members + ["\"k\(count / 2)\":0"]
        #expect(throws: JSONError.self) { try JSONDocument(Array("{\(twice.joined(separator: ","))}".utf8)) }
    }

    /// Each pair of names is compared, whatever bits of their hashes are equal.
    @Test(arguments: [2, 5, 31]) func findsEachDuplicateAmongFewKeys(count: Int) throws {
        for first in 0..<count {
            for second in first + 1...count {
                var members = (0..<count).map { "\"k\($0)\":\($0)" }
                _ = try JSONDocument(Array("{\(members.joined(separator: ","))}".utf8))
                members.insert("\"k\(first)\":0", at: second)
                #expect(failure(Array("{\(members.joined(separator: ","))}".utf8))?.code == .duplicateKey)
            }
        }
    }

    /// Two names of one FNV-1a hash are two names, among few and among many.
    @Test(arguments: [0, 40]) func namesThatCollideAreNotDuplicates(more: Int) throws {
        let names = ["8yn0iYCKYHlIj4-BwPqk", "GReLUrM4wMqfg9yzV3KQ"] + (0..<more).map { "k\($0)" }
        func document(_ names: [String]) -> [UInt8] {
            Array("{\(names.map { "\"\($0)\":1" }.joined(separator: ","))}".utf8)
        }
        _ = try JSONDocument(document(names))
        #expect(failure(document(names + [names[1]]))?.code == .duplicateKey)
        // A name is the same however it is written.
        let escaped = "\\u0038" + names[0].dropFirst()
        #expect(failure(document(names + [escaped]))?.code == .duplicateKey)
        _ = try JSONDocument(document([names[1], escaped]))
    }

    /// Names that collide on purpose, one of them huge and escaped, cost no more than a sort.
    @Test(.timeLimit(.minutes(1)), arguments: [(20, 50_000), (800, 400_000)])
    func collidingNamesStayCheap(count: Int, huge: Int) throws {
        // The FNV-1a hash of the first name is 0, and stays 0 with any number of zeros after it.
        func name(_ zeros: Int) -> String {
            "\"77kepQFQ8Kl" + String(repeating: "\\u0000", count: zeros) + "\":1"
        }
        let names = ([huge] + Array(0..<count)).map(name)
        let twice = Array("{\(names.joined(separator: ",")),\(name(count / 2))}".utf8)
        let error = try #require(failure(twice))
        #expect(error.code == .duplicateKey)
        #expect(error.offset == twice.count - 1 - name(count / 2).utf8.count)
    }

    /// What is found eight bytes at a time is found at each place of the eight, and at the document's end.
    @Test(arguments: 0..<20) func whatIsNotPlainIsSeenAtEachPlace(place: Int) throws {
        let plain = String(repeating: "\u{7F}", count: place)
        for (text, value) in [(#"\n"#, "\n"), (#"\""#, "\""), ("é", "é"), ("😀", "😀"), ("! #[]~", "! #[]~")] {
            for tail in ["", "a", "tail of eight"] {
                let string = try String(jsonBytes: Array("\"\(plain)\(text)\(tail)\"".utf8))
                #expect(string == plain + value + tail)
            }
        }
        for byte in [0x00, 0x1F, 0x80, 0xC1, 0xFF] as [UInt8] {
            for tail in ["", "tail of eight"] {
                let code = failure([0x22] + Array(plain.utf8) + [byte] + Array(tail.utf8) + [0x22])?.code
                #expect(code == (byte < 0x20 ? .syntax : .encoding))
            }
        }
        #expect(failure([0x22] + Array(plain.utf8))?.code == .syntax)
    }

    /// Every single-byte change of a document is judged as Foundation judges it, but where we are stricter on
    /// purpose.
    @Test func agreesWithFoundationOnMutations() {
        let document = Array(#"{"a":[1,-2.5e3,true,null],"é":"x\n\u00e9","b":{"c":"","d":[{}]}}"#.utf8)
        for position in document.indices {
            for byte in 0x20...0x7E as ClosedRange<UInt8> {
                var bytes = document
                bytes[position] = byte
                let ours = (try? JSONDocument(bytes)) != nil
                let theirs = (try? JSONSerialization.jsonObject(with: Data(bytes))) != nil
                if ours != theirs {
                    // Duplicate keys and lone surrogates are the only differences allowed.
                    let code = failure(bytes)?.code
                    #expect(
                        theirs && (code == .duplicateKey || code == .encoding),
                        "\(String(decoding: bytes, as: UTF8.self)) ours \(ours)")
                }
            }
        }
    }

    private func failure(_ bytes: [UInt8]) -> JSONError? {
        do throws(JSONError) {
            _ = try JSONDocument(bytes)
            return nil
        } catch {
            return error
        }
    }

    private func matches(_ value: JSONValue, _ tree: Any) -> Bool {
        switch value.content {
        case .null: tree is NSNull
        case .bool(let bool): (tree as? Bool) == bool
        case .number(let number): (tree as? NSNumber)?.doubleValue == number.double
        case .string(let string): (tree as? String) == string
        case .array(let elements):
            (tree as? [Any])?.count == elements.count
                && zip(elements, tree as? [Any] ?? []).allSatisfy { matches($0, $1) }
        case .object(let members):
            (tree as? [String: Any])?.count == members.count
                && members.allSatisfy { name, value in
                    (tree as? [String: Any])?[name].map { matches(value, $0) } ?? false
                }
        }
    }
}
