/// The usual names of pagination fields, in lower case without separators.
enum PageNames {
    static let parameters: Set<String> = [
        "cursor", "pagecursor", "after", "startingafter", "afterid", "marker", "pagetoken", "nexttoken",
        "continuationtoken", "nextpagetoken", "page", "startcursor", "startkey",
    ]
    static let offsets: Set<String> = ["offset", "skip", "startat", "startindex", "pageoffset"]
    static let pages: Set<String> = ["page", "pagenumber", "pageno", "pagenum", "currentpage"]
    /// In order of preference.
    static let cursors = [
        "nextcursor", "next", "nextpagetoken", "nexttoken", "nextmarker", "nextpagecursor", "cursor", "after",
        "continuationtoken", "endcursor", "nextstartcursor", "nextpage",
    ]
    static let urls = [
        "nextpageuri", "nextpageurl", "nexturl", "nexturi", "nextlink", "nextpagelink", "next", "nextpage",
    ]
    static let hasMore = ["hasmore", "hasnext", "hasnextpage", "morepages", "moreavailable"]
    static let totals = ["total", "totalcount", "totalresults", "totalitems", "totalsize", "totalrecords"]
    static let counts = ["totalpages", "pagecount", "pages", "lastpage", "numpages"]
    /// Preferred names of the items array.
    static let items = ["data", "items", "results", "entries", "values", "records", "resources", "list"]
    /// Objects with page metadata.
    static let holders: Set<String> = [
        "meta", "metadata", "pagination", "paging", "page", "pages", "pageinfo", "pageinformation", "links",
        "responsemetadata", "resultinfo", "cursors", "next", "paginationinfo", "pagecontext",
    ]
    /// Objects with the items.
    static let wrappers: Set<String> = [
        "data", "result", "results", "response", "embedded", "payload", "page",
    ]

    static func joined(_ name: String) -> String { SwiftName.words(name).joined().lowercased() }
}
