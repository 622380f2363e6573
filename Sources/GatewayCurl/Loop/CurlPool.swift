import CLibcurl

/// One multi handle of libcurl, and so one pool of connections.
///
/// To find a connection for a request libcurl looks at every one the pool has to that origin, busy ones too: beside
/// 4,000 requests that wait for their answer it costs two hundred microseconds. So a loop keeps pools of bounded size.
@safe
final class CurlPool {
    /// libcurl's handle.
    private(set) var multi: UnsafeMutableRawPointer
    /// The loop, which owns its pools and outlives them.
    private unowned(unsafe) let owner: CurlLoop
    /// Its place among the loop's pools.
    let index: Int
    /// How many transfers it carries.
    var active = 0
    /// Since when it has carried none.
    var idleSince: Int64 = 0
    /// Whether libcurl was called for it in this turn, so that transfers may have ended.
    var isTouched = false
    /// How often libcurl is still to look at all its connections, once a turn.
    private var looks = 0
    /// Whether it may have connections.
    private(set) var isUsed = false
    private let connections: Int
    private var timer = LoopClock.never
    private var lastTimer: Int64 = 0

    /// `nil` where libcurl gives no handle.
    ///
    /// - Parameter connections: how many connections are kept open.
    init?(loop: CurlLoop, index: Int, connections: Int) {
        guard let multi = unsafe curl_multi_init() else { return nil }
        unsafe self.multi = multi
        unsafe owner = loop
        self.index = index
        self.connections = connections
        setUp()
    }

    private func setUp() {
        unsafe gateway_multi_set_long(multi, CURLMOPT_MAXCONNECTS, connections)
        unsafe gateway_multi_set_callbacks(
            multi, CurlCallbacks.socketInterest, CurlCallbacks.timer,
            Unmanaged.passUnretained(self).toOpaque())
    }

    /// Closes its connections, none of which is in use. It goes on with others.
    func renew(now: Int64) {
        // Where there is no other yet, this is tried again later.
        idleSince = now
        guard active == 0, let new = unsafe curl_multi_init() else { return }
        unsafe curl_multi_cleanup(multi)
        unsafe multi = new
        timer = LoopClock.never
        isUsed = false
        setUp()
    }

    /// Closes its connections. It is of no use afterwards.
    func close() { unsafe curl_multi_cleanup(multi) }

    @inline(__always)
    var loop: CurlLoop { unsafe owner }

    /// Takes in a handle; `false` where libcurl refuses.
    func add(_ handle: EasyHandle) -> Bool {
        guard unsafe curl_multi_add_handle(multi, handle.easy) == CURLM_OK else { return false }
        active += 1
        isUsed = true
        return true
    }

    /// Lets go of a handle.
    func remove(_ handle: EasyHandle, now: Int64) {
        unsafe curl_multi_remove_handle(multi, handle.easy)
        active -= 1
        if active == 0 { idleSince = now }
    }

    /// Makes libcurl begin with a handle again; `false` where it refuses.
    func restart(_ handle: EasyHandle) -> Bool {
        unsafe curl_multi_remove_handle(multi, handle.easy)
        return unsafe curl_multi_add_handle(multi, handle.easy) == CURLM_OK
    }

    /// libcurl wants to be called after so many milliseconds; negative for never.
    func setTimer(milliseconds: Int, now: Int64) {
        timer = milliseconds < 0 ? LoopClock.never : now + Int64(milliseconds) * 1_000_000
    }

    /// When it is to be called next; while it carries something at least once a second, because a socket's event can
    /// be lost on libcurl (curl #11937).
    var due: Int64 { looks > 0 ? 0 : active > 0 ? min(timer, lastTimer + 1_000_000_000) : timer }

    /// libcurl's own timers.
    func runTimers(now: Int64) {
        guard due <= now else { return }
        lastTimer = now
        guard looks > 0 else {
            timer = LoopClock.never
            return act(on: CURL_SOCKET_TIMEOUT, 0)
        }
        looks -= 1
        for descriptor in loop.sockets.wanted(of: index) { act(on: descriptor, CURL_CSELECT_IN) }
    }

    /// Has libcurl look at all its connections: first it notes that nothing is left to read, then that one is over.
    func looksAtAll() { looks = 2 }

    /// Something happened on a socket.
    func act(on event: EpollSet.Event) {
        let mask =
            (event.isReadable ? CURL_CSELECT_IN : 0) | (event.isWritable ? CURL_CSELECT_OUT : 0)
            | (event.isBroken ? CURL_CSELECT_ERR : 0)
        act(on: event.descriptor, mask)
    }

    private func act(on descriptor: Int32, _ mask: Int32) {
        isTouched = true
        var running: Int32 = 0
        guard let watchdog = loop.watchdog else {
            unsafe curl_multi_socket_action(multi, descriptor, mask, &running)
            return
        }
        watchdog.watching { unsafe curl_multi_socket_action(multi, descriptor, mask, &running) }
    }
}
