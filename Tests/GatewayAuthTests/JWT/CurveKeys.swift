import GatewayAuth
import GatewayCore

/// One key pair for each curve of RFC 7518 §3.4, made for these tests and used nowhere else.
enum CurveKeys {
    /// The private and the public half.
    static func pair(_ algorithm: JSONWebTokenAlgorithm) throws -> (secret: Secret, open: Secret) {
        switch algorithm {
        case .es256: (TestKeys.p256.pem, TestKeys.p256Public.pem)
        case .es384: (TestKeys.p384.pem, Secret(p384Public))
        case .es512: (Secret(p521), Secret(p521Public))
        default: throw NoCurve()
        }
    }

    private struct NoCurve: Error {}

    private static let p384Public = """
        -----BEGIN PUBLIC KEY-----
        MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAE/Rrzhk0kVY8yq7DB9+mSeAUQdxWzVus3
        XajAnaAul/meZBwVDN45pyUBpoKwrHbKK+byGrOtmmPKLFemmxm0Mk2w+Tl/I9O2
        NQL9tiKuIHolW4n5jSNCsSh2OGeDVAy/
        -----END PUBLIC KEY-----
        """

    private static let p521 = """
        -----BEGIN PRIVATE KEY-----
        MIHuAgEAMBAGByqGSM49AgEGBSuBBAAjBIHWMIHTAgEBBEIB1bYjBnbvpwvQscrT
        0YtDztuzHQVZapKqOZ5xqPwUI0C/xD1rKHtfHjXLVQUqf0x/46Jwm87KWxFADTpa
        YaeB7lOhgYkDgYYABAE6YzqldYUAOr8aoFwQA3gVFEiF5MvCM6XUxDqn5ispFpuK
        N4KLbVzvQCpW7W7+tkVGd/wutwbPJ4pBb20M2ey/FACHIl5ypQLEh/Fc1eU/WPKx
        RhslOEzB/1E2QeAFBD8XYzdODq1Ck41VkSc1WrFIFaKMaQUZWJGY+hmE0w9ABgTy
        XA==
        -----END PRIVATE KEY-----
        """

    private static let p521Public = """
        -----BEGIN PUBLIC KEY-----
        MIGbMBAGByqGSM49AgEGBSuBBAAjA4GGAAQBOmM6pXWFADq/GqBcEAN4FRRIheTL
        wjOl1MQ6p+YrKRabijeCi21c70AqVu1u/rZFRnf8LrcGzyeKQW9tDNnsvxQAhyJe
        cqUCxIfxXNXlP1jysUYbJThMwf9RNkHgBQQ/F2M3Tg6tQpONVZEnNVqxSBWijGkF
        GViRmPoZhNMPQAYE8lw=
        -----END PUBLIC KEY-----
        """
}
