@_spi(Generated) import GatewayJSON
import Testing

@Suite struct ObjectMatchTests {
    private func match(_ json: String, _ table: StaticString) throws -> Int {
        try JSONDocument(Array(json.utf8)).root.bestMatch(table)
    }

    @Test func theRowWithTheMostKnownMembersIsTheBest() throws {
        let table: StaticString = "-?Da\t?Db\n-?Da\t?Dc\t?Dd\n"
        #expect(try match(#"{"a":"x","b":"y"}"#, table) == 0)
        #expect(try match(#"{"a":"x","c":"y"}"#, table) == 1)
        #expect(try match(#"{"a":"x"}"#, table) == 0)
        #expect(try match("{}", table) == 0)
    }

    @Test func whatIsRequiredDecides() throws {
        let table: StaticString = "-!Da\t?Db\n-!Dc\n"
        #expect(try match(#"{"b":"x"}"#, table) == -1)
        #expect(try match(#"{"c":"x","b":"y"}"#, table) == 1)
        #expect(try match(#"{"a":1}"#, table) == -1)
        #expect(try match(#"{"a":null}"#, table) == 0)
    }

    @Test func valuesDecide() throws {
        let table: StaticString =
            "-!Btype\u{1}1\u{1}2\t?Da\n-!Btype\u{1}3\n-?Adeleted\u{1}true\n-!Dkind\u{1}x y\n"
        #expect(try match(#"{"type":2}"#, table) == 0)
        #expect(try match(#"{"type":3,"a":"x"}"#, table) == 1)
        #expect(try match(#"{"type":4}"#, table) == 2)
        #expect(try match(#"{"deleted":true}"#, table) == 2)
        #expect(try match(#"{"deleted":false}"#, table) == -1)
        #expect(try match(#"{"kind":"x\u0020y"}"#, table) == 3)
        #expect(try match(#"{"k\u0069nd":"x y"}"#, table) == 3)
    }

    @Test func aMapTakesWhatNothingElseDoes() throws {
        let table: StaticString = "+\n-!H_errors\n"
        #expect(try match(#"{"a":1,"b":2}"#, table) == 0)
        #expect(try match(#"{"_errors":[]}"#, table) == 1)
    }

    @Test func aRowThatForbidsOtherMembersIsTheLastChoiceForThem() throws {
        let table: StaticString = "=?Da\t?Db\n=?Dc\n-?Da\n"
        #expect(try match(#"{"a":"x","b":"y"}"#, table) == 0)
        #expect(try match(#"{"a":"x","b":"y","z":1}"#, table) == 2)
        #expect(try match(#"{"c":"x"}"#, table) == 1)
        // Without another row the best of them is taken.
        #expect(try match(#"{"c":"x","z":1}"#, "=?Da\t?Db\n=?Dc\n") == 1)
    }

    @Test func whatIsNoObjectFitsNothing() throws {
        #expect(try match("[]", "+\n") == -1)
        #expect(try match("{}", "") == -1)
    }
}
