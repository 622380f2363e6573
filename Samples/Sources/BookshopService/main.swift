import BookshopAPI
import Dispatch
import Foundation
import GatewayClient

let usage = """
    usage: bookshop-service --url URL --token-file FILE [--interval SECONDS] [--once]

    Watches a bookshop's catalogue and prints a line of JSON for each book that is new since the round before.

      --url URL             where the bookshop's API is, such as http://127.0.0.1:8080/v1
      --token-file FILE     a file that holds the bearer token; read again when the token is rejected
      --interval SECONDS    between two rounds, 1 to 86400 (default 30)
      --once                one round, then end
      -h, --help            this text

    SIGTERM ends it within 10 s.

    To try it: `scripts/demo.sh --serve` starts a bookshop and prints a token.
    Exit status: 0, 1 when a round failed with --once, 2 for wrong usage.
    """

func complain(_ text: String) {
    FileHandle.standardError.write(Data("bookshop-service: \(text)\n".utf8))
}

func stop(_ text: String) -> Never {
    complain(text + " (see --help)")
    exit(2)
}

var url: String?
var tokenFile: String?
var interval = 30
var isOnce = false
var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
    switch argument {
    case "-h", "--help":
        print(usage)
        exit(0)
    case "--once": isOnce = true
    case "--url": url = arguments.popFirst()
    case "--token-file": tokenFile = arguments.popFirst()
    case "--interval":
        guard let value = arguments.popFirst().flatMap({ Int($0) }), (1...86_400).contains(value) else {
            stop("--interval takes a number of seconds from 1 to 86400")
        }
        interval = value
    default: stop("unknown argument '\(argument)'")
    }
}
guard let url else { stop("--url is missing") }
guard let tokenFile else { stop("--token-file is missing") }

let api = BookshopClient(
    server: .init(url: url),
    credentials: .init(partnerToken: .provider(TokenFile(path: tokenFile))),
    defaults: CallOptions(deadline: .seconds(20)))

// SIGTERM ends the program in an orderly way: calls in progress may finish.
signal(SIGTERM, SIG_IGN)
let termination = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
termination.setEventHandler { [api] in
    Task {
        await api.shutdown(within: .seconds(10))
        exit(0)
    }
}
termination.resume()

var known: Set<String> = []
repeat {
    do {
        for try await book in api.books.listAll(limit: 200) where known.insert(book.id).inserted {
            let line: JSONValue = [
                "id": .string(book.id), "title": .string(book.title), "price": .string("\(book.price)"),
            ]
            print(String(decoding: try line.jsonBytes(), as: UTF8.self))
        }
        fflush(nil)
    } catch {
        complain("\(error)")
        if isOnce { exit(1) }
    }
    if !isOnce { try? await Task.sleep(for: .seconds(interval)) }
} while !isOnce
