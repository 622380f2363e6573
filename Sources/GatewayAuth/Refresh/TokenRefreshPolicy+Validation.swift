public import GatewayCore

extension TokenRefreshPolicy {
    /// Checks the values.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `misconfigured`; the message names the property.
    public func validate() throws(NetworkError) {
        for (property, duration) in [
            ("mandatoryWindow", mandatoryWindow), ("advisoryWindow", advisoryWindow),
            ("longestRetryAfter", longestRetryAfter), ("outagePatience", outagePatience),
            ("lostAnswerWindow", lostAnswerWindow),
        ] {
            try NetworkError.require(duration >= .zero, property, "must be zero or more")
        }
        for (property, duration) in [
            ("timeout", timeout), ("exchangeTimeout", exchangeTimeout), ("assumedLifetime", assumedLifetime),
            ("longestLifetime", longestLifetime),
        ] {
            try NetworkError.require(duration > .zero, property, "must be more than zero")
        }
        // Without a pause, a token server that fails would get the next request at once.
        for (property, duration) in [("initialBackoff", initialBackoff), ("longestBackoff", longestBackoff)] {
            try NetworkError.require(duration >= .milliseconds(1), property, "must be 1 ms or longer")
        }
        // With the whole lifetime, each call would request a token.
        try NetworkError.require(
            mandatoryFraction >= 0 && mandatoryFraction < 1, "mandatoryFraction",
            "must be from 0 to less than 1")
        for (property, fraction) in [
            ("advisoryFraction", advisoryFraction), ("advisoryJitter", advisoryJitter),
        ] {
            try NetworkError.require(fraction >= 0 && fraction <= 1, property, "must be from 0 to 1")
        }
        try NetworkError.require(maximumKeys >= 1, "maximumKeys", "must be 1 or more")
    }
}
