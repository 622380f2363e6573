import GatewayCore

/// Keys made for these tests and used nowhere else. Arguments of tests are names, so that no key is printed.
enum TestKeys: String, Sendable {
    case rsa, rsaPublic, rsa1024, p256, p256Public, p384, secp256k1, encrypted, ed25519, rsaPSSPublic, empty,
        garbage

    var pem: Secret {
        switch self {
        case .rsa: Secret(Self.rsaText)
        case .rsaPublic: Secret(Self.rsaPublicText)
        case .rsa1024: Secret(Self.rsa1024Text)
        case .p256: Secret(Self.p256Text)
        case .p256Public: Secret(Self.p256PublicText)
        case .p384: Secret(Self.p384Text)
        case .secp256k1: Secret(Self.secp256k1Text)
        case .encrypted: Secret(Self.encryptedText)
        case .ed25519: Secret(Self.ed25519Text)
        case .rsaPSSPublic: Secret(Self.rsaPSSPublicText)
        case .empty: Secret("")
        case .garbage: Secret("-----BEGIN PRIVATE KEY-----\n")
        }
    }

    private static let rsaText = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDcKdrB2yfX7eoX
        U8zC6W83C7Eh8gYbZUIJSDoBV0O0egTI8MUzpUK+qs1nK8pxoxUbcacXHXfdYtfw
        QkUs1y600fOd6bFXamnLC6SjsdxtvrJMM6/h2cdG5pFzhH0GMgBQ7tHapAft9t/t
        lH6kpsrvX1rAU/DQhJeGVqMChg+2jsZlJ/jDey2p2I7SAWO/4m/fy/PbhsOZjB+s
        UyRQyUISvx1siz+Vqobyddt0t1me+LHJ/OBSs3eV7YQHAq6d0h2BFHBiCNrcnV0h
        WNEMPm7MQYFvk+7CqCGoR/IPlaS1ijMQlQ5XcA8jO9nOBZKtVHeA8bv1kzj4PAMU
        74/a+IgJAgMBAAECggEAMiI3xbgNcR6klS5IbMPyRtMbQVMW7+sVZ/6x8rc33COC
        7mzhQvrpYXiMcGdo4IqV1luBhIJ51ohZCsVUcjsH0DYU5wsdjn3VXF6o3Xu1aaoo
        eLC2ZtQMDEmZqnfrbls5djSDxelfQuFaKYQMeJrgkDSi+jPDHQBsbrNQyFTVxCh/
        mkHqA43fhd7bdmDdFRM21Z9houOKTAQhIoHyygLzLP3EBCOo1p6YHIjrEZN+EHCQ
        QVJ1/MBZk+leazc4PGUOv2GNDNwLRKyexhJR+4SPcnZW9dIdeRItT3qVeO+dLVqG
        tuXurhWULtVdy3VZ1qFktSAXnUn9e8SIJHJX3xiYWQKBgQD7QNBLsDz57frXsEqh
        T7zKybT+uAyhmybgfk7ojIWWkGye6lBoY7ravWX6j4wns9oV4L+wvjv43AwL1a35
        6l//G7fU+S4BK1oR5/dvdjmwR3Q8w5NvuJ/yom5AAofWZDAJ1C9dHrlohsXE8riB
        GEwsDIPX8C9ApjP1b4mo86tQ5QKBgQDgUqzx2MIBM73JKBtX9Gi4Gr5KuX7mATOT
        CRUMSxDu7zn0fO9NfD2XagrILRhU42pH/rQnNrJG0yZURTxkA7JKPAPerCy7x8nG
        U9+VV8Yh1RQOYoMjIfNrrWEwPJHHit3YAPSgvqPcyRZBlJ1nskJUfHPHb4nic/qx
        F1p0Zo08VQKBgQCe3/gWtEWKgMpqUwaOBF7MGEoD+5u5IOOvdw8si5b5gy+8OUxJ
        Bi8knDj8/IJSpK6VwP1VpKVFktdnMGIHswWqyfsvh7VodeJJilXzPF30Muq0dbMo
        JSW3BrESdscwcT/TJ0If7wqspvQtupGiyBt6ixtfk3g9uBsI6tOwawx8ZQKBgBbV
        c5M+nCjhKm1ibr4aO9qZpksW7Kre7nAGGaVhsryPj1eqq/U4M1DJU4WiyXpCl9vy
        OkZPlAAPmDQ1w/ruQWS7DS3KWtdWc9yDRxv9jkZ9WQhJ0M1vtEZ+pIjzcWddZE2L
        c1s1bJqZwXE1fnxCsevFq0devCtX4OnL1cJJehDtAoGADYrch7ojaJGmjkSPMvmf
        cUCmaXDmv29BZlpi3l0ebAZOJQAPVc6IdPLQqaNRL1T8moAoC/QOoscElDTAJeth
        g31XdMDa328itKz/Itb0+9sO466dtkKpGBFYJy0a62xUCsZo1OgZ/hqaOpmlVDph
        ZV0qzg2l/mmlrcCRYHE+1/Q=
        -----END PRIVATE KEY-----
        """

    private static let rsaPublicText = """
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA3Cnawdsn1+3qF1PMwulv
        NwuxIfIGG2VCCUg6AVdDtHoEyPDFM6VCvqrNZyvKcaMVG3GnFx133WLX8EJFLNcu
        tNHznemxV2ppywuko7Hcbb6yTDOv4dnHRuaRc4R9BjIAUO7R2qQH7fbf7ZR+pKbK
        719awFPw0ISXhlajAoYPto7GZSf4w3stqdiO0gFjv+Jv38vz24bDmYwfrFMkUMlC
        Er8dbIs/laqG8nXbdLdZnvixyfzgUrN3le2EBwKundIdgRRwYgja3J1dIVjRDD5u
        zEGBb5PuwqghqEfyD5WktYozEJUOV3APIzvZzgWSrVR3gPG79ZM4+DwDFO+P2viI
        CQIDAQAB
        -----END PUBLIC KEY-----
        """

    private static let rsa1024Text = """
        -----BEGIN PRIVATE KEY-----
        MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBALo9kCi6//cAAIF9
        P+DZu2m+AmLZUlBnWBBeWXuP2lfr87c2l2vwkcLjNDGglf6vaHlOIz6MOxJzjIsD
        Stj16pMLrjjvFp9EcHfU/yfPfNnNdWqgbUlC/TlOIY+MqpWFQ4+MG1uEpMPwaT0o
        HuAlhNs+7Hh/LuXoZKNbjWfnCwodAgMBAAECgYEAqMN+rZn+ttl2m+BekSdcb86x
        pNdfguKS54pHtfM+HSwAFkbO4g4GV77BHjNxmG9k0X+f6l7ybJ7ufU3HdmEpZPiV
        HNakcRBcVEJjbDF6zXyhhU6ToXV7aM581LW+o1yZJCzkoc9YNJiijLs/c4mLnOjV
        rpJtWO4M4AOpknRlUNUCQQDbqY4ZzFojUEqnyxr4oWsdXy8BBBxLhrBvDCQiKM0t
        YoVN0kurJFlvC8wrB1U3uNvzWSlqWapLtBacBBH6nmN/AkEA2QyhtnekOXZWEs9r
        IdMfGO1zFpFUadgKp4L3fXFBP73CAjU4k8jT2vvmwg9ytzWwhPhOmjgyUQQZgxSg
        hT1wYwJAaYafGY2uj+B2vP05y8/gIZAkiJxs62udPvvaL/7h8retyqEIcQNZY5uL
        TfCL4+UO5W0kFE9XHF87rV/XM0r8CQJBAIhumzviCpWgH8ylGrdhSNvXbg9SfNgn
        V9MhzMXKKfSSJ+BRaeXjR+APlWaIZVhqZDHBD097YY1xYUP29EusafcCQEGNgScA
        M7RwIwn0t2uqLmikXtczCMebwBGLFU4caMSiADtybRhghCx05Ca8L4j77iTf+KXw
        TuVaUcvvwdJW5qo=
        -----END PRIVATE KEY-----
        """

    private static let p256Text = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgSWWeTBJWTHbD7FQA
        A2ugScg90wW4aHMb6B0PcEBWsy+hRANCAARlgoR/q/6NKSUpAufjPgKwhVOlL1Q3
        cXMhu8wGA7VBnRdFOebt08moTIR0aqM0dln2uorOtF8FMWXNDA/+Y3pF
        -----END PRIVATE KEY-----
        """

    private static let p256PublicText = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEZYKEf6v+jSklKQLn4z4CsIVTpS9U
        N3FzIbvMBgO1QZ0XRTnm7dPJqEyEdGqjNHZZ9rqKzrRfBTFlzQwP/mN6RQ==
        -----END PUBLIC KEY-----
        """

    private static let p384Text = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDDn1dVbXlLdddEmU3lT
        WqvQAbA9d0LoIVQAgz8eVVmQC7PjI3rBEH5omGGirl6Sy92hZANiAAT9GvOGTSRV
        jzKrsMH36ZJ4BRB3FbNW6zddqMCdoC6X+Z5kHBUM3jmnJQGmgrCsdsor5vIas62a
        Y8osV6abGbQyTbD5OX8j07Y1Av22Iq4geiVbifmNI0KxKHY4Z4NUDL8=
        -----END PRIVATE KEY-----
        """

    private static let secp256k1Text = """
        -----BEGIN PRIVATE KEY-----
        MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQgxI+cYzVfca1KeFuFxZfy
        +c0G19PTn2bCETB9GhutoPOhRANCAASw888EGc9vFIK988jEc3zUmQVx4e9iDEik
        1GGa1/sSxCPV7aCoDndEWtG6qRX9og3zZi8I2YAGccvQ6faLeFav
        -----END PRIVATE KEY-----
        """

    private static let encryptedText = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAimEV5rUxfIyAICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEHwm8BrVikzP9V+dtmBrQk8EgZD3
        +8BYEWz9+JIwgyjghPPkRZHYvYKXzrqDDRc16gjyni4y9HIzC2yx2NANQ0C4283q
        8MzJnTfjc61YqZLRHQ9kUO0B8vftBYNYuGfJYT3KTlYuoivh092DpjB6K4OQSMSv
        CkJzL7iV5qmfL4gSulT3Ni4GbVxFD+HbQrQtoxaIEnEfvd7aqAIyfcaaI3LTeyQ=
        -----END ENCRYPTED PRIVATE KEY-----
        """

    private static let ed25519Text = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIGhJomHibXkVlxtPDQ6ie6AlXzIYW65KTOstEVoHmkNE
        -----END PRIVATE KEY-----
        """

    private static let rsaPSSPublicText = """
        -----BEGIN PUBLIC KEY-----
        MIIBIDALBgkqhkiG9w0BAQoDggEPADCCAQoCggEBANBiMnusZi7g6jGXn6KD78Bp
        6EkIl2DvMHphR6+8Pv0WDt7/2pi3txJFuqRwdvnBwd6eYWSsoQinyjZQQEimy/Ge
        j1ItQ7KgiBUcURiF/BJSH/h7Y2tHb7YaGqVBk6wLGUmvBBa3s0BfjGg5i7b/JqHe
        yrUBXQrAVoNwM6k6bwGvAmCMSEFbZrJRWO0XGV8enWQr/s3b4Yq2841W9cuE+WD9
        oW2d77n0rmQY+YNYIXA9mWEZ3s63/c3eeyhNUqpW11zHRk9d/kwOt3flvF1loOr6
        8jbWkeCp5XXzFAnckkf7Y1XQHG63kj4J8tPcx9nz7rQoM6NPk6Pb2ieZ88Xc/AEC
        AwEAAQ==
        -----END PUBLIC KEY-----
        """
}
