import Testing

@testable import GatewayCurl

@Suite struct TLSFailureTests {
    @Test(
        arguments: [
            ("OpenSSL/3.0.19: error:0A00010B:SSL routines::wrong version number", "wrong version number"),
            ("error:1408F10B:SSL routines:ssl3_get_record:wrong version number", "wrong version number"),
            (
                "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0",
                "tlsv13 alert certificate required"
            ),
            ("OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to a.example:443 ", nil),
            ("could not load PEM client certificate from /home/s3cret.pem, OpenSSL error", nil),
            ("SSL routines::", nil), ("", nil), ("SSL routines:", nil),
            ("SSL routines::bad\u{1B}[31m thing", "bad"),
            ("SSL routines::" + String(repeating: "a", count: 300), String(repeating: "a", count: 64)),
        ] as [(String, String?)])
    func onlyOpenSSLsReasonIsTaken(text: String, reason: String?) {
        #expect(TLSFailure.handshakeReason(text) == reason)
    }

    @Test(arguments: [
        ("DNS:a.example", ["a.example"]),
        ("IP Address:127.0.0.1, DNS:*.b.example", ["127.0.0.1", "*.b.example"]),
        ("DNS:a, DNS:b, DNS:c, DNS:d", ["a", "b", "c"]), ("", []), ("DNS:", []),
        ("DNS:evil\u{1B}[31m, DNS:ok", ["ok"]), ("IP Address:0:0:0:0:0:0:0:1", ["0:0:0:0:0:0:0:1"]),
        ("DNS:" + String(repeating: "a", count: 254), []), ("othername: <unsupported>", []),
    ])
    func namesAreBoundedAndClean(text: String, names: [String]) {
        #expect(TLSFailure.names(text) == names)
    }

    @Test(arguments: [
        (9, "certificate is not yet valid"), (10, "certificate has expired"), (18, "self-signed certificate"),
        (19, "self-signed certificate in the chain"), (2, "unknown CA"), (20, "unknown CA"),
        (21, "unknown CA"),
        (23, "certificate has been revoked"), (26, "certificate is not for server authentication"),
        (1, "certificate cannot be verified (result 1)"),
    ])
    func everyResultHasAReason(result: Int, reason: String) {
        #expect(TLSFailure.certificate(verifyResult: result).reason == reason)
    }
}
