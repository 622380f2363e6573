import GatewayCore
import Testing

@testable import GatewayAuth

@Suite struct CacheLifetimeTests {
    @Test(
        arguments: [
            (["max-age=60"], nil, 60), (["public, MAX-AGE=60, immutable"], nil, 60),
            (["max-age=\"60\""], nil, 60),
            (["max-age=60", "max-age=30"], nil, 30), (["max-age=60"], "20", 40), (["max-age=60"], "70", 0),
            (["no-store"], nil, 0), (["max-age=60, no-cache"], nil, 0), (["no-cache=\"x\""], nil, 0),
            (["max-age=99999999999999999999"], nil, 1 << 31), (["max-age=60"], "soon", 60),
            (["max-age=0"], nil, 0),
        ] as [([String], String?, Int64)])
    func whatIsSaid(lines: [String], age: String?, seconds: Int64) {
        var fields = HTTPFields()
        for line in lines { fields.append("Cache-Control", line) }
        fields["Age"] = age
        #expect(CacheLifetime.told(by: fields) == .seconds(seconds))
    }

    @Test(arguments: [
        [], [""], ["public"], ["max-age"], ["max-age="], ["max-age=-1"], ["max-age=1.5"], ["max-age=\"\""],
        ["s-maxage=60"], ["max-agee=60"], ["max-age= 60"], ["max-age=١"], ["max-age=\""],
    ])
    func whatSaysNothing(lines: [String]) {
        var fields = HTTPFields()
        for line in lines { fields.append("Cache-Control", line) }
        #expect(CacheLifetime.told(by: fields) == nil)
    }
}
