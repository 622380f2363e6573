import Foundation

/// What is printed, at once: a reader knows what is stored.
enum Output {
    static func line(_ text: String) {
        print(text)
        fflush(nil)
    }

    static func complain(_ text: String) {
        FileHandle.standardError.write(Data("bookshop-orders: \(text)\n".utf8))
    }
}
