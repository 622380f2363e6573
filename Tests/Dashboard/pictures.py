"""The pictures of README and the documentation: a page with ten minutes of traffic and faults, in light and dark."""

WIDTH, HEIGHT = 1400, 900


def make(browser, seconds):
    browser.emulate(WIDTH, "light", height=HEIGHT)
    browser.until("the traffic", f"return S.frame.now_ms>{1000 * seconds}", seconds + 60)
    browser.run("setWindow(0);window.retried=()=>S.failed.findLast(c=>c.status===503&&c.attempts>2&&c.steps.some(s=>s.phases))")
    browser.until("a call that was retried in vain", "return retried()", 300)
    browser.run("showKind(1);openCall(retried());document.querySelector('#calls').scrollIntoView();scrollBy(0,-60)")
    both(browser, "dashboard-call")
    browser.run("openCall(null);showKind(0);scrollTo(0,0)")
    browser.until("an open circuit", """return S.frame.breakers?.some(b=>b.state==='open')&&S.frame.sentence.severity==='critical'
        &&[...S.cols.values()].sort((a,b)=>b[0]-a[0])[1][4]>100""", 300)
    both(browser, "dashboard")


def both(browser, name):
    for suffix, scheme in (("", "light"), ("~dark", "dark")):
        browser.emulate(WIDTH, scheme, height=HEIGHT)
        browser.away()
        browser.run("document.activeElement.blur();draw();return new Promise(f=>requestAnimationFrame(()=>requestAnimationFrame(f)))")
        browser.shoot(name + suffix, WIDTH, whole=False)
