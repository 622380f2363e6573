import Foundation
import GatewayJSON
import GatewayOpenAPI
import Testing

@Suite struct ModelTests {
    @Test(arguments: ["fiction", "self-help", "", "Fiction", "novel\n"]) func enumsRoundTrip(raw: String)
        throws
    {
        let genre = try Bookshop.Genre(jsonBytes: try raw.jsonBytes())
        #expect(genre.rawValue == raw)
        #expect(try String(jsonBytes: try genre.jsonBytes()) == raw)
        #expect(genre == Bookshop.Genre(rawValue: raw))
        #expect(try JSONDecoder().decode(Bookshop.Genre.self, from: JSONEncoder().encode(genre)) == genre)
    }

    @Test func anUnrecognizedValueEqualsTheNamedOne() {
        #expect(Bookshop.Genre.unrecognized("poetry") == .poetry)
        #expect(Set([Bookshop.Genre.unrecognized("poetry"), .poetry]).count == 1)
        #expect(Bookshop.Genre.unrecognized("poetry") != .science)
    }

    @Test(arguments: [
        #"{"kind":"printed","pages":3}"#,
        #"{"kind":"digital","formats":["epub","djvu"],"bytes":9007199254740993}"#,
        #"{"kind":"audio","minutes":[1,2.50]}"#, #"{"minutes":1}"#, #"[1]"#, #"{"kind":7}"#,
    ]) func unionsRoundTrip(text: String) throws {
        let edition = try Bookshop.Edition(jsonBytes: Array(text.utf8))
        #expect(String(decoding: try edition.jsonBytes(), as: UTF8.self) == text)
        let expected = ["printed", "digital"].first { text.contains($0) } ?? "unrecognized"
        #expect(String(describing: edition).prefix { $0 != "(" } == expected)
    }

    /// A schema with a discriminator stands for those that extend it, and for itself.
    @Test(arguments: [
        #"{"make":"plain","wheels":2}"#, #"{"make":"Car","doors":3,"wheels":4}"#,
        #"{"make":"Taxi","doors":5,"fare":2.5,"tows":{"make":"Car","doors":3}}"#,
        #"{"make":"Airship","crew":[1]}"#,
    ]) func inheritedDiscriminatorsRoundTrip(text: String) throws {
        let vehicle = try Shapes.Vehicle(jsonBytes: Array(text.utf8))
        let back = try JSONValue(jsonBytes: try vehicle.jsonBytes())
        #expect(try back == JSONValue(jsonBytes: Array(text.utf8)))
        switch vehicle {
        case .plain(let plain): #expect(plain.wheels == 2)
        case .car(let car): #expect(car.doors == 3)
        case .taxi(let taxi):
            guard case .car(let towed)? = taxi.tows else { return #expect(Bool(false), "no car") }
            #expect(taxi.fare == 2.5 && towed.doors == 3)
        case .unrecognized: #expect(text.contains("Airship"))
        }
    }

    @Test func unknownPropertiesSurviveWhereTheyAreAllowed() throws {
        // A schema for them; `true`; a branch of a union.
        let cases: [(String, any (JSONDecodable & JSONEncodable).Type)] = [
            (#"{"id":"a","new":7}"#, Shapes.Node.self),
            (#"{"id":"a","parent":{"id":"b","new":7},"x":-1}"#, Shapes.Node.self),
            (#"{"kind":"square","new":{"deep":[null,1.50]},"none":null,"side":1}"#, Shapes.Square.self),
            (#"{"kind":"square","new":[],"side":1}"#, Shapes.Shape.self),
        ]
        for (text, type) in cases {
            let written = try JSONValue(jsonBytes: type.init(jsonBytes: Array(text.utf8)).jsonBytes())
            #expect(try written == JSONValue(jsonBytes: Array(text.utf8)), "\(text)")
        }
    }

    @Test func unknownPropertiesAreIgnoredWhereNothingIsSaidOfThem() throws {
        let circle = try Shapes.Circle(jsonBytes: Array(#"{"kind":"circle","radius":2.5,"new":1}"#.utf8))
        #expect(try JSONValue(jsonBytes: circle.jsonBytes()) == ["kind": "circle", "radius": 2.5])
    }

    @Test func aBrokenVariantIsAnError() {
        do throws(JSONError) {
            _ = try Bookshop.Edition(jsonBytes: Array(#"{"kind":"printed","pages":"many"}"#.utf8))
            Issue.record("accepted")
        } catch {
            #expect(error.path == "$.pages")
        }
    }

    @Test func modelsWorkWithOtherCoders() throws {
        let line = Bookshop.OrderLine(bookId: "b", quantity: 2, unitPrice: .init(amount: 5, currency: "EUR"))
        let data = try JSONEncoder().encode([line])
        let back = try JSONDecoder().decode([Bookshop.OrderLine].self, from: data)
        #expect(back.first?.unitPrice?.amount == 5)
        let plist = try PropertyListEncoder().encode(line)
        #expect(try PropertyListDecoder().decode(Bookshop.OrderLine.self, from: plist).quantity == 2)
    }
}
