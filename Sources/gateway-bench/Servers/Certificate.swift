/// A certificate for 127.0.0.1 that openssl makes, with its key beside it.
struct Certificate {
    static let fileName = "certificate.pem"
    static let keyName = "key.pem"

    /// Where it is: what a client must trust.
    let file: String

    /// `nil` where there is no openssl.
    init?(directory: String) {
        file = "\(directory)/\(Self.fileName)"
        guard let openssl = Program.path("openssl"),
            Program.succeeds(
                openssl,
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-days",
                    "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
                    "\(directory)/\(Self.keyName)", "-out", file,
                ])
        else { return nil }
    }
}
