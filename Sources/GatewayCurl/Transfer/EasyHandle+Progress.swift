import GatewayCore

extension EasyHandle {
    /// The state of one transfer. A single value, because a class checks exclusive access for each property.
    struct Progress {
        /// The error with which this library ended the transfer.
        var failure: NetworkError?
        /// How many times libcurl was about to send the request.
        var sends = 0
        /// Whether the kept connection that libcurl selected is not usable, and the transfer restarts.
        var restarts = false
        /// The number of restarts.
        var restartCount = 0
        /// Whether data was received in a new TLS session before the request.
        var isSpokenTo = false
        /// The last socket that was opened for the transfer; -1 if there is none.
        var openedSocket: Int32 = -1
        /// Whether the last socket could not be opened because no file descriptor was available.
        var lacksDescriptor = false
        /// The socket that libcurl waited for last; -1 if there is none, or for an HTTP/2 stream on a shared
        /// connection.
        var socket: Int32 = -1
        /// The identity of that socket, to distinguish it from later ones with the same number.
        var link: EpollSet.Link?
        /// Whether libcurl has read the whole request body.
        var isUploadOver = false
        /// Whether the whole response was received before the request was sent completely. The rest is not sent.
        var isAnsweredEarly = false
        /// The number of body bytes that were passed to libcurl.
        var uploaded: Int64 = 0
        /// Whether the upload is paused because the body has no bytes at the moment.
        var isUploadPaused = false
        /// Whether the download is paused because the reader has not taken the buffered bytes.
        var isDownloadPaused = false
        /// The number of content bytes received, before decompression.
        var received: Int64 = 0
        /// Whether the content of a streamed response is collected, and its head kept for the caller until it has
        /// ended.
        var isGathering = false
        /// Whether further bytes are discarded, because they have no reader.
        var isDiscarding = false
        /// Whether libcurl has ended the transfer, and may have closed its socket.
        var hasEnded = false
    }
}
