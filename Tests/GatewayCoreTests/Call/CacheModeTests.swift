import GatewayCore
import Testing

@Suite struct CacheModeTests {
    @Test(
        arguments: [
            (CacheMode.standard, nil), (.forceCache, nil), (.onlyIfCached, nil), (.reload, "no-cache"),
            (.noCache, "max-age=0"), (.noStore, "no-cache, no-store"),
        ] as [(CacheMode, String?)])
    func cachesOnTheWayFollowTheMode(mode: CacheMode, field: String?) throws {
        var request = try HTTPRequest(.get, "https://api.example.com/books")
        request.apply(CallOptions(cache: mode))
        #expect(request.fields["Cache-Control"] == field)
    }

    @Test func aFieldOfTheCallIsKept() throws {
        var request = try HTTPRequest(.get, "https://api.example.com/books")
        request.apply(CallOptions(fields: ["Cache-Control": "max-stale"], cache: .reload))
        #expect(request.fields["Cache-Control"] == "max-stale")
    }

    @Test func theModeIsMergedAndCarried() {
        let options = CallOptions(cache: .reload).over(CallOptions(cache: .noStore))
        #expect(options.cache == .reload)
        #expect(CallOptions().over(CallOptions(cache: .noStore)).cache == .noStore)
        #expect(RequestContext(options: options).cache == .reload)
        #expect(RequestContext().cache == .standard)
    }
}
