import Testing

@Suite struct DeclarationScannerTests {
    private func scan(_ source: String) throws -> [DeclarationScanner.Declaration] {
        try DeclarationScanner.declarations(in: source)
    }
    private func publicNames(_ source: String) throws -> [String] {
        try scan(source).filter(\.isPublic).map(\.name)
    }

    @Test func findsEveryKindOfType() throws {
        let source = """
            public struct A {}
            public final class B<Value: Sendable>: C where Value: D {}
            public enum E { case one }
            public actor F {}
            public protocol G { associatedtype H }
            open class I {}
            struct J {}
            package struct K {}
            """
        #expect(try publicNames(source) == ["A", "B", "E", "F", "G", "I"])
        #expect(
            try scan(source).map(\.kind) == [
                .struct, .class, .enum, .actor, .protocol, .class, .struct, .struct,
            ])
    }

    @Test func attributesAndModifiersMayStandAnywhere() throws {
        let source = """
            @_spi(Generated) public struct A {}
            @_spi(Generated)
            @frozen
            public final class B {}
            public @nonexhaustive enum C {}
            nonisolated public indirect enum D {}
            @available(macOS 10, *) public nonisolated(unsafe) struct E {}
            """
        #expect(try publicNames(source) == ["A", "B", "C", "D", "E"])
    }

    @Test func nestingGivesFullNames() throws {
        let source = """
            public struct Outer {
                private(set) var x = 1
                struct Hidden { public struct Deep {} }
                public struct Inner {
                    public enum Innermost {}
                    func f() { if true { } }
                }
                public func g() { struct Local {} }
            }
            public struct After {}
            """
        #expect(
            try publicNames(source)
                == ["Outer", "Outer.Hidden.Deep", "Outer.Inner", "Outer.Inner.Innermost", "After"])
    }

    @Test func typesInExtensionsBelongToTheExtendedType() throws {
        let source = """
            extension Outer.Inner where Value: Sendable { public struct A {} struct B {} }
            public extension Outer { struct C {} private struct D {} enum E { struct F {} } }
            extension Outer: Hashable { public class func f() {} public static let x = Self.protocol }
            """
        #expect(try publicNames(source) == ["Outer.Inner.A", "Outer.C", "Outer.E"])
    }

    @Test func actorMayBeTheNameOfAValue() throws {
        let source = """
            public struct A {
                let actor: B?
                func f() { guard let actor else { return }; if let actor { g(actor) } }
                init(actor: B?) {
                    self.actor = actor
                    self.other = { 1 }
                }
                public class var c: Int { 1 }
                public struct Inner {}
            }
            """
        #expect(try publicNames(source) == ["A", "A.Inner"])
        #expect(try scan(source).count == 2)
    }

    @Test func commentsAndStringsAreNotRead() throws {
        let source = ##"""
            // public struct A {}
            /* public struct B { /* } */ public struct C {} */
            let text = "public struct D { \(f("}")) {"
            let raw = #"public struct " E {"#
            let lines = """
                public struct F {
                """
            public struct G {}
            """##
        #expect(try publicNames(source) == ["G"])
    }

    @Test func payloadsOfEnumsAreSeen() throws {
        let source = """
            public enum None {}
            public enum Plain: String { case a, b = "x", c = -1; func f() { switch self { case .a(let x): g(x) } } }
            public enum Loaded { case a, b(Int) }
            public enum Late { case a; indirect case b(Late), c }
            """
        let found = try scan(source)
        #expect(found.map(\.hasPayload) == [false, false, true, true])
        #expect(found.map(\.hasCases) == [false, true, true, true])
        #expect(found.map(\.holdsNothing) == [true, true, false, false])
    }

    @Test func noncopyableTypesAreSeen() throws {
        let found = try scan("public struct A<T>: ~Copyable {} public struct B {}")
        #expect(found.map(\.isNoncopyable) == [true, false])
    }

    @Test func aSourceThatIsReadWronglyIsAnError() {
        #expect(throws: DeclarationScanner.Unbalanced.self) { try scan("public struct A { ") }
        #expect(throws: DeclarationScanner.Unbalanced.self) { try scan("public struct A {}}") }
    }
}
