"""The pictures of README and the documentation: a page with ten minutes of traffic and faults, in light and dark."""

WIDTH, HEIGHT = 1280, 800


def make(browser):
    browser.emulate(WIDTH, "light", height=HEIGHT)
    browser.until("ten minutes", "return S.frame.now_ms>605000", 1200)
    browser.run("setWindow(0);scrollTo(0,0)")
    browser.until("an open circuit", "return S.frame.breakers?.some(b=>b.state==='open')&&S.frame.sentence.severity==='critical'", 300)
    browser.run("setPause(true)")
    both(browser, "dashboard")
    browser.run("""setPause(false);showKind(1);
        const good=c=>c.attempts>1&&c.steps.some(s=>s.phases)&&c.steps.length>3&&c.steps.length<9;
        openCall(S.failed.findLast(c=>good(c)&&c.status)||S.failed.findLast(good));setPause(true);scrollTo(0,0)""")
    both(browser, "dashboard-call")


def both(browser, name):
    for suffix, scheme in (("", "light"), ("~dark", "dark")):
        browser.emulate(WIDTH, scheme, height=HEIGHT)
        browser.run("document.activeElement.blur();draw()")
        browser.away()
        browser.run("return new Promise(f=>requestAnimationFrame(()=>requestAnimationFrame(f)))")
        browser.shoot(name + suffix, WIDTH, whole=False)
