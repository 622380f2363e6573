/// A catalogue's JSON, the same for the same size: members in the order of the schema, which is not the order in which
/// generated code asks for them.
struct CatalogueText {
    private(set) var text = #"{"items":["#
    private(set) var articles = 0
    private var random = Numbers()

    /// - Parameter kilobytes: how large it becomes, up to an article; it has one at least.
    init(kilobytes: Int) {
        while text.utf8.count < kilobytes * 1000 {
            if articles > 0 { text += "," }
            article()
            articles += 1
        }
        text += #"],"next_cursor":"eyJvZmZzZXQiOjUwMH0="}"#
    }

    /// The same sequence each time.
    private struct Numbers {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15

        /// Below a limit.
        mutating func next(_ limit: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state >> 33) % limit
        }
    }

    /// As they stand between quotation marks: most are plain, some have escapes, some have more than ASCII.
    private static let titles = [
        "The Left Hand of Darkness", "A Wizard of Earthsea", "Field Notes on the Weather",
        #"Said \"never again\""#, "Größenwahn für Anfänger", #"Caf\u00e9 con leche"#, "The Dispossessed",
        "百年の孤独", "Maps and Legends, second edition", #"Smile \ud83d\ude00"#,
    ]
    private static let summaries = [
        "A long way from home, somebody finds out what the neighbours have known all along.",
        #"First line.\nSecond line, with a tab\tand a path: C:\\temp."#,
        "Short.",
        "Ein ausführlicher Text über Äpfel, Öl und Übermut, wie man ihn in einem Katalog finden könnte.",
        "What happens when three friends, two boats and a storm meet; told by the one who stayed ashore.",
    ]
    private static let tags = ["new", "fiction", "travel", "sale", "signed", "überraschung", "gift"]
    private static let states = ["draft", "active", "active", "sold-out", "retired", "archived"]
    private static let words = ["linen", "paper", "blue", "A4", "hardcover", "matt", "42", "no"]

    private mutating func one(of words: [String]) -> String { words[random.next(words.count)] }

    private mutating func money() -> String { "\(random.next(2_000)).\(random.next(90) + 10)" }

    private static func padded(_ number: Int, _ digits: Int, radix: Int = 10) -> String {
        let text = String(number, radix: radix)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    private mutating func instant() -> String {
        let day = "20\(random.next(20) + 10)-\(Self.padded(random.next(12) + 1, 2))-\(random.next(18) + 10)"
        return day
            + "T\(random.next(14) + 10):\(Self.padded(random.next(60), 2)):\(Self.padded(random.next(60), 2))Z"
    }

    private mutating func article() {
        let id = [8, 4, 4, 4, 12].map { digits in
            (0..<digits / 4).map { _ in Self.padded(random.next(0x10000), 4, radix: 16) }.joined()
        }
        text +=
            #"{"id":"\#(id.joined(separator: "-"))","sku":"SKU-\#(Self.padded(random.next(1_000_000), 6))""#
        text += #","title":"\#(one(of: Self.titles))""#
        if random.next(4) > 0 { text += #","summary":"\#(one(of: Self.summaries))""# }
        if random.next(2) > 0 {
            text += random.next(2) > 0 ? #","note":null"# : #","note":"\#(one(of: Self.summaries))""#
        }
        text += #","price":\#(money())"#
        if random.next(2) > 0 { text += #","tax_rate":0.\#(random.next(9) + 1)"# }
        text += #","currency":"EUR","state":"\#(one(of: Self.states))","created_at":"\#(instant())""#
        if random.next(3) > 0 { text += #","updated_at":"\#(instant())""# }
        text += #","in_stock":\#(random.next(2) > 0)"#
        if random.next(2) > 0 { text += #","is_digital":\#(random.next(2) > 0)"# }
        text += #","stock":\#(random.next(10_000))"#
        if random.next(3) > 0 { text += #","revision":\#(random.next(30))"# }
        if random.next(2) > 0 { text += #","weight_grams":\#(random.next(5_000))"# }
        text +=
            #","maker":{"id":\#(random.next(1_000_000_000)),"name":"\#(one(of: Self.titles)) Ltd.","country":"DE""#
        text += #","website":"https://maker-\#(random.next(1_000)).example/about"},"media":"#
        medium()
        prices()
        list(#","tags":["#, random.next(5))
        text += #","attributes":{"material":"\#(one(of: Self.words))","colour":"\#(one(of: Self.words))""#
        text += #","size":"\#(one(of: Self.words))","format":"\#(one(of: Self.words))"}}"#
    }

    private mutating func medium() {
        let url = "https://media.example/\(random.next(1_000_000))"
        if random.next(3) > 0 {
            text += #"{"kind":"picture","url":"\#(url).jpg","width":\#(random.next(4_000))"#
            text += #","height":\#(random.next(3_000))}"#
        } else {
            text += #"{"kind":"film","url":"\#(url).mp4","seconds":\#(money())"#
            list(#","captions":["#, 2)
            text += "}"
        }
    }

    private mutating func prices() {
        text += #","prices":["#
        for tier in 0..<random.next(4) + 1 {
            if tier > 0 { text += "," }
            text += #"{"quantity":\#(tier * 10 + 1),"amount":\#(money())"#
            text += random.next(2) > 0 ? #","label":"from \#(tier * 10 + 1)"}"# : "}"
        }
        text += "]"
    }

    private mutating func list(_ name: String, _ count: Int) {
        text += name
        for position in 0..<count { text += (position > 0 ? "," : "") + #""\#(one(of: Self.tags))""# }
        text += "]"
    }
}
