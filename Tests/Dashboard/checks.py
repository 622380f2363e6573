"""What the page of the dashboard promises, as checks of one browser session. Each raises AssertionError."""

import time
import urllib.parse

from selenium.webdriver.common.keys import Keys

# Elements that a person can use, as far as they can be seen.
USABLE = """[...document.querySelectorAll('a[href],button,input,[tabindex="0"]')].filter(e=>!e.disabled&&e.checkVisibility()&&!e.closest('[hidden]'))"""


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def reset(browser):
    """The page as it is when it is opened, with the pointer where it holds nothing."""
    browser.away()
    browser.run("""openCall(null);onlyOperation(null);showKind(0);go(null);setPause(false);ops.sort=[2,-1];
        document.querySelectorAll('[type=search]').forEach(f=>{f.value='';f.oninput()});
        document.activeElement.blur();scrollTo(0,0);draw()""")


def layout(browser):
    """No horizontal scrolling, no violation of axe, targets of 24 px, and no text that is cut at the page's edge."""
    found = browser.run("return [document.documentElement.scrollWidth, innerWidth]")
    check(found[0] <= found[1], f"horizontal scrolling: {found[0]} px in {found[1]} px")
    small = browser.run(f"""return {USABLE}.map(e=>{{const r=e.getBoundingClientRect();return[e.outerHTML.slice(0,80),r.width,r.height]}})
        .filter(([,w,h])=>Math.min(w,h)<23.9)""")
    small = [s for s in small if "skip" not in s[0]]
    check(not small, f"targets below 24 px: {small[:5]}")
    cut = browser.run("""return [...document.querySelectorAll('#calls tbody tr:not(.gap)')].flatMap(r=>[r.cells[0],r.cells[3]])
        .filter(c=>c.scrollWidth>c.clientWidth).map(c=>c.textContent)""")
    check(not cut, f"times are cut: {cut[:3]}")
    violations = browser.violations()
    check(not violations, "axe: " + "; ".join(violations[:5]))


def redraw_keeps_place(browser):
    """Focus, selected text, scroll positions and the open call survive two frames each."""
    browser.away()
    browser.run("""scrollTo(0,200);document.querySelector('#ops tbody .go').focus({preventScroll:true});
        const p=document.querySelector('#sentence');getSelection().selectAllChildren(p);
        window.kept={focus:document.activeElement,text:document.activeElement.textContent,selection:String(getSelection()),nodes:[...document.querySelectorAll('#ops tbody tr:not(.gap)')]}""")
    browser.frames(2)
    check(browser.run("return document.activeElement===kept.focus&&kept.focus.textContent===kept.text"), "a redraw moves the focus")
    check(browser.run("return String(getSelection())===kept.selection"), "a redraw changes the selection")
    check(browser.run("return Math.abs(scrollY-200)<2"), "a redraw scrolls the page")
    check(browser.run("return kept.nodes.every((n,i)=>document.querySelectorAll('#ops tbody tr:not(.gap)')[i]===n)"), "a redraw moves rows under the focus")
    browser.run("getSelection().removeAllRanges()")
    browser.click("#calls tbody .go")
    browser.run("window.kept=document.querySelector('#d-title').textContent+document.querySelector('#detail .facts').textContent;document.querySelector('#calls .list').scrollTop=95")
    browser.frames(2)
    check(browser.run("return !document.querySelector('#detail').hidden&&kept===document.querySelector('#d-title').textContent+document.querySelector('#detail .facts').textContent"), "a redraw changes the open call")
    check(browser.run("return document.activeElement.id==='d-title'"), "a redraw takes the focus from the open call")
    check(browser.run("const l=document.querySelector('#calls .list');return l.scrollHeight<=l.clientHeight||Math.abs(l.scrollTop-95)<2"), "a redraw scrolls the list of calls")
    browser.keys(Keys.ESCAPE)
    check(browser.run("return document.querySelector('#detail').hidden&&document.activeElement.closest('#calls')!==null"), "Escape does not lead back to the list")
    browser.run("document.querySelector('#calls .list').scrollTop=0;document.activeElement.blur();scrollTo(0,0)")


def problems_keep_place(browser):
    """What is below the state does not move when problems come and go."""
    for width in (800, 1150, 1600):
        browser.emulate(width, "light")
        tops = browser.run("""const kept=S.frame,problem=(_, i)=>({severity:'warning',side:'upstream',about:{kind:'breaker',name:'a'},
                text:`${i+1}0 % of 2,584 calls failed in the last 10 s: status 503 from http://127.0.0.1:40000 and others.`});
            const tops=[0,1,2,8].map(length=>{
                const problems=Array.from({length},problem);
                S.frame={...kept,problems,sentence:problems[0]||{severity:'ok',text:'All is well.'}};
                draw();
                return document.querySelector('#tiles').getBoundingClientRect().top});
            S.frame=kept;
            draw();
            return tops""")
        check(len(set(tops)) == 1, f"at {width} px problems move the page: {tops}")


def live_region(browser):
    """The sentence alone is announced, and only when it changes."""
    regions = browser.run("return [...document.querySelectorAll('[aria-live],[role=status],[role=alert],[role=log],output')].map(e=>e.id)")
    check(regions == ["sentence"], f"live regions: {regions}")
    browser.run("""window.said=[];let last=document.querySelector('#sentence').textContent;
        new MutationObserver(()=>{const t=document.querySelector('#sentence').textContent;said.push(t===last);last=t})
        .observe(document.querySelector('#sentence'),{childList:true,characterData:true,subtree:true})""")
    browser.frames(2)
    check(not browser.run("return said.some(Boolean)"), "the sentence is announced without a change")


def drawn(browser):
    """The canvases are not blank, and their colors are those of the theme."""
    for card in ("rates", "heat", "tokens"):
        browser.run(f"document.querySelector('#{card}').scrollIntoView({{block:'center'}})")
        # A copy is read: to read a canvas often makes it slow.
        browser.until(f"the canvas of {card}", f"""const c=document.querySelector('#{card} canvas');
            if(!c.width)return false;
            const copy=new OffscreenCanvas(c.width,c.height).getContext('2d',{{willReadFrequently:true}});
            copy.drawImage(c,0,0);
            const d=copy.getImageData(0,0,c.width,c.height).data;
            let n=0;for(let i=3;i<d.length;i+=4)n+=d[i]>0;return n*4/d.length>.02""", 5)
    names = browser.run("return [...document.querySelectorAll('main canvas')].filter(c=>!c.getAttribute('aria-label')).length")
    check(names == 0, f"{names} canvases without a name")


def lost_stream(browser):
    """A stream that ends is told in the sentence, and the page connects again by itself."""
    browser.run("""source.close();window.kept=EventSource;
        window.EventSource=class{readyState=0;close(){}addEventListener(){}};heard=opens=Date.now()-5000""")
    browser.until("the loss", "return /stream/.test(document.querySelector('#sentence').textContent)&&document.body.className==='lost'", 8)
    browser.run("window.EventSource=kept;opens=Date.now()-11000")
    browser.until("the connection", "return document.querySelector('#link').textContent.includes('Live')", 10)
    browser.frames(1)


def ended(browser, end):
    """A program that ends is told, too: the page keeps what it had."""
    end()
    browser.until("the loss", "return document.body.className==='lost'&&/has ended|refuses/.test(document.querySelector('#sentence').textContent)", 10)
    check(not browser.violations(), "axe finds something in the page that has lost its stream")


def reduced_motion(browser, width):
    browser.emulate(width, "light", motion="reduce")
    browser.run("document.querySelector('#tiles div:last-child button').click()")
    check(browser.run("return document.getAnimations().length===0"), "an animation runs although motion is reduced")
    browser.emulate(width, "light")
    browser.run("document.activeElement.blur();scrollTo(0,0)")


def tables(browser):
    """A table behind each canvas."""
    canvases = browser.run("return [...document.querySelectorAll('main canvas')].map(c=>c.closest('section').id)")
    for card in dict.fromkeys(canvases):
        browser.run(f"document.querySelector('#{card} [aria-expanded]').click();draw()")
        browser.until(f"the table of {card}", f"return document.querySelector('#{card} .list tbody tr:not(.gap) td')?.textContent", 5)
        check(not browser.run(f"return document.querySelector('#{card} canvas')?.checkVisibility()"), f"{card}: canvas and table at once")
    browser.shoot("tables", 1600)
    for card in dict.fromkeys(canvases):
        browser.run(f"document.querySelector('#{card} [aria-expanded]').click()")


def keyboard(browser):
    """All that can be used is reached by Tab and the arrows, and the keys do what the list of keys says."""
    browser.run("document.activeElement.blur();scrollTo(0,0);document.body.tabIndex=-1;document.body.focus();document.body.removeAttribute('tabindex')")
    wanted = browser.run(f"""window.seen=new Set;document.addEventListener('focusin',e=>{{seen.add(e.target);const n=e.target.name;if(n)document.getElementsByName(n).forEach(r=>seen.add(r))}});
        return {USABLE}.filter(e=>e.tabIndex>=0).length""")
    for _ in range(wanted + 5):
        browser.keys(Keys.TAB)
    missed = browser.run(f"return {USABLE}.filter(e=>e.tabIndex>=0&&!seen.has(e)).map(e=>e.outerHTML.slice(0,90))")
    check(not missed, f"not reached by Tab: {missed[:4]}")
    browser.run("document.querySelector('#ops tbody .go[tabindex=\"0\"]').focus()")
    first = browser.run("return document.activeElement.textContent")
    browser.keys(Keys.ARROW_DOWN)
    check(browser.run("return document.activeElement.textContent") != first, "the arrow does not lead to the next row")
    browser.keys("?")
    check(browser.run("return document.querySelector('#help').open"), "? does not open the list of keys")
    browser.shoot("keys", 1600, whole=False)
    browser.keys(Keys.ESCAPE)
    check(not browser.run("return document.querySelector('#help').open"), "Escape does not close the list of keys")
    browser.keys("s")
    check(browser.run("return document.querySelectorAll('#kind input')[2].checked&&document.activeElement.closest('#calls tbody')!==null"), "s does not lead to the slowest calls")
    browser.keys(Keys.ENTER)
    check(browser.run("return !document.querySelector('#detail').hidden"), "Enter does not open the call")
    browser.keys(Keys.ESCAPE, "l", "/")
    check(browser.run("return document.activeElement.id") == "callfind", "/ does not lead to the filter")
    browser.keys("zz-no-such-call")
    browser.until("the empty list", "return !document.querySelector('#calls .empty').hidden", 5)
    browser.keys(Keys.ESCAPE, Keys.ESCAPE)
    check(browser.run("return document.activeElement===document.body&&document.querySelector('#callfind').value===''"), "Escape does not clear the filter")


def time_travel(browser):
    """Ten minutes back by mouse and keys; pause holds all figures."""
    browser.keys(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    browser.until("the past", "return document.querySelector('#link').textContent.includes('past')&&document.querySelector('#at').textContent.includes('ago')", 5)
    rows = browser.run("draw();return [...document.querySelectorAll('#calls tbody tr')].every(r=>!r._row||r._row.t<=at)")
    check(rows, "calls after the time that is shown")
    browser.run("const b=document.querySelector('#back');b.value=-590;b.oninput()")
    browser.frames(1)
    browser.shoot("past", 1600)
    browser.emulate(1600, "light")
    browser.keys("n")
    browser.until("now", "return document.querySelector('#link').textContent.includes('Live')", 5)
    browser.keys(" ")
    figures = "return document.querySelector('#tiles').textContent+document.querySelector('#at').textContent+document.querySelector('#ops tbody').textContent"
    browser.run("draw()")
    before = browser.run(figures)
    browser.frames(2)
    check(browser.run(figures) == before, "the figures change in a pause")
    check(browser.run("return document.querySelector('#pause').getAttribute('aria-pressed')") == "true", "the pause is not told")
    browser.keys(" ")
    browser.until("frames after the pause", f"return document.querySelector('#at').textContent.startsWith('Now')", 5)


def questions(browser, patience):
    """Six questions, each with at most three clicks from the page as it is opened."""
    def answer(name, clicks, find):
        reset(browser)
        for css in clicks:
            if browser.run("return !document.querySelector(arguments[0])", css):
                browser.until(f"{name}: {css}", f"return document.querySelector({css!r})", patience)
            browser.click(css)
            browser.run("draw()")
        check(len(clicks) <= 3, f"{name}: {len(clicks)} clicks")
        return browser.until(name, find, patience)

    answers = {}
    p95 = "#ops thead th:nth-child(6) button"
    answers["the slowest operation"] = answer("the slowest operation", [p95], """
        const ms=[...document.querySelectorAll('#ops tbody tr:not(.gap)')].map(r=>r._row.w[win]?.[3]??-1);
        return ms.every((m,i)=>!i||m<=ms[i-1])&&document.querySelector('#ops tbody th').textContent""")
    browser.until("a failed call", "return S.failed.length>0", patience)
    answers["why this call failed"] = answer("why this call failed", ["#kind label:nth-of-type(2)", "#calls tbody .go"],
        "const t=document.querySelector('#d-why').textContent;return /^(Failed|Cancelled)/.test(t)&&t")
    answers["revoked or expired"] = answer("was the token revoked or did it expire", [],
        "return [...document.querySelectorAll('.lane p')].map(p=>p.textContent).find(t=>/requested because (none was usable|the old one was (about to expire|revoked))/.test(t))")
    answers["us or upstream"] = answer("is it us or upstream", ["#window label:nth-of-type(3)"],
        "const t=document.querySelector('#side .verdict').textContent;return /^Mostly (us|upstream|the )/.test(t)&&t")
    browser.until("a shared exchange", "return [...S.recent,...S.failed,...S.slow].some(c=>c.callers>1)", patience)
    answers["who shared it"] = answer("who shared that exchange", ["#calls thead th:nth-child(6) button", "#calls tbody .go"],
        "const t=document.querySelector('#d-shared').textContent;return /callers on one exchange/.test(t)&&t")
    browser.command("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    answers["copy a request"] = answer("copy a request", ["#calls tbody .go", "#copy"],
        "return document.querySelector('#copy').textContent==='Copied'&&document.querySelector('#detail pre').textContent")
    check(answers["copy a request"].startswith("curl "), "what is copied is no curl command")
    for question, text in answers.items():
        print(f"  {question}: {text[:110]}", flush=True)


def frame_cost(browser, url, seconds, frame_ms):
    """Script, layout and style of a frame, by the browser's own trace. It is written when the page is left."""
    browser.open(url)
    time.sleep(seconds)
    browser.driver.get("about:blank")
    # The first ones have all that was kept.
    costs = sorted(browser.costs_of_frames()[3:])
    browser.open(url)
    check(costs, "no frame has come")
    p95 = costs[min(len(costs) - 1, int(len(costs) * 0.95))]
    print(f"  {len(costs)} frames cost {costs[len(costs) // 2]:.1f} ms, p95 {p95:.1f} ms", flush=True)
    check(p95 <= frame_ms, f"a frame costs {p95:.1f} ms at p95, more than {frame_ms} ms")


def size(browser):
    """The size of the heap after a collection, and the numbers of elements and nodes."""
    browser.command("HeapProfiler.collectGarbage")
    metrics = browser.metrics()
    return metrics["JSHeapUsedSize"], browser.run("return document.querySelectorAll('*').length"), metrics["Nodes"]


def check_growth(first, last):
    for name, (heap, elements, nodes) in (("before", first), ("after", last)):
        print(f"  {name}: {heap / 1e6:.2f} MB, {elements} elements, {nodes:.0f} nodes", flush=True)
    check(last[0] - first[0] <= 1 << 20, f"the heap has grown by {(last[0] - first[0]) / (1 << 20):.2f} MiB")
    # Rows with other texts have a few more.
    check(last[1] <= first[1] + 30, f"{first[1]} elements became {last[1]}")
    check(last[2] <= first[2] + 100, f"{first[2]:.0f} nodes became {last[2]:.0f}")


def late_calls(browser, url):
    """Calls come in any order and may come again. What is left out is told, and the clock of the machine is followed."""
    browser.run("""source.close();window.feed=(calls,more)=>{
            heard=Date.now();
            addFrame({...JSON.parse(JSON.stringify(S.frame)),now_ms:now,calls,...more});
            draw()};
        window.call=(id,t,more)=>({id,in:'rf',t,ms:5,op:'late',method:'GET',origin:'http://late',outcome:'error',error:'timeout',attempts:1,steps:[],...more});
        window.now=S.frame.now_ms+20000;
        const make=(from,to)=>Array.from({length:to-from},(_,i)=>call('late'+(from+i),now-from-i));
        feed(make(0,60));feed(make(60,800))""")
    kept = browser.run("return ['recent','failed'].map(k=>S[k].map(c=>c.id))")
    for name, ids, most in zip(("latest", "failed"), kept, (500, 100)):
        check(ids == [f"late{i}" for i in reversed(range(most))], f"not the {most} {name} calls, but {ids[:2]} to {ids[-2:]}")
    browser.run("""openCall(S.recent.at(-1));
        feed([call('late0',now,{steps:[{k:'fallback',t:6,step:'again'}]}),call('late1',now-1,{in:'r'})])""")
    found = browser.run("return [S.recent,S.failed].map(l=>l.filter(c=>/^late[01]$/.test(c.id)).map(c=>c.steps.length))")
    check(found == [[0, 1], [1]], f"a call that comes again does not replace the one that is there: {found}")
    check(browser.run("return /again/.test(document.querySelector('#detail .body').textContent)"), "the open call is not the one that came again")
    browser.run("openCall(null)")

    browser.run("feed([],{calls_omitted:700});feed([],{calls_omitted:34,calls_pending:6})")
    count = browser.run("return document.querySelector('#calls .count').textContent")
    check(" left out, 6 to come" in count and browser.run("return S.omitted>=734"), f"what is left out is not told: {count}")
    browser.run("""feed([],Object.fromEntries(['tokens','breakers','bulkheads','budgets','rate_gates','origins','parts','operations'].map((k,i)=>[k+'_omitted',i+1])));
        drawRest(view);drawOps(view)""")
    for card, text in (("tokens", "1 more not shown"), ("origins", "6 more not shown"), ("rest", "7 more not shown"), ("ops", "8 more not shown"),
                       ("guards", "2 more breakers, 3 more bulkheads, 4 more budgets, 5 more rate gates not shown")):
        check(text in browser.run(f"return document.querySelector('#{card}').textContent"), f"{card}: not told: {text}")

    times = "return clock(unix(S.frame.now_ms))"
    before = browser.run(times)
    browser.run("feed([],{start_unix_ms:S.hello.start_unix_ms+5400000})")
    check(browser.run(times) != before, "a step of the clock is not followed")
    titles = browser.run("return [...document.querySelectorAll('#window input')].map((b,i)=>b.title.endsWith(S.hello.windows[i].label))")
    check(titles == [True] * 3, "a window does not tell what it covers")
    browser.open(url)


def bounded_page(browser, url):
    """After ten minutes the page gets no larger: it is given the frames of 22 minutes at once, of 60 calls each."""
    browser.run("""source.close();window.feed=count=>{
            const calls=[...S.recent.slice(-40),...S.failed.slice(-10),...S.slow.slice(0,10)],frame=JSON.stringify(S.frame);
            let now=S.frame.now_ms;
            for(let i=0;i<count;i++){
                now+=1000;
                const f=Object.assign(JSON.parse(frame),{now_ms:now,frame:S.frame.frame+1});
                f.calls=JSON.parse(JSON.stringify(calls)).map((c,j)=>({...c,_p:undefined,t:now-j,id:now.toString(16)+j}));
                f.columns=[0,1].map(j=>[Math.floor(now/2000)-j,300,290,5,3,2,7,12.5+i%9,80.5,210.5,Array.from({length:17},(_,n)=>n*i%40)]);
                heard=Date.now();
                addFrame(f);
                if(i%20===0)draw();
            }
            draw()}""")
    browser.run("feed(720)")
    first = size(browser)
    browser.run("feed(600)")
    last = size(browser)
    check_growth(first, last)
    kept = browser.run("return [S.recent.length,S.failed.length,S.slow.length,S.cols.size,S.snaps.length]")
    print(f"  kept: {kept}", flush=True)
    check(all(n <= most for n, most in zip(kept, (500, 100, 50, 302, 62))), f"more is kept than should be: {kept}")
    browser.open(url)


def no_outside_request(browser, urls):
    """All requests of the session went to the servers of the pages."""
    hosts = {urllib.parse.urlsplit(u).netloc for u in browser.requests if not u.startswith(("data:", "about:"))}
    own = {urllib.parse.urlsplit(u).netloc for u in urls}
    check(hosts and hosts <= own, f"requests to {sorted(hosts - own)}")


def soak(browser, minutes, frame_ms):
    """From 12/22 of the time on, when the page has ten minutes of history, it gets neither larger nor slower."""
    def cost():
        """What a frame costs in the next two seconds, by the browser's own figures."""
        before, number = browser.metrics(), browser.run("return S.frame.frame")
        time.sleep(2)
        after, frames = browser.metrics(), browser.run("return S.frame.frame") - number
        browser.read_logs()
        work = 1000 * sum(after[n] - before[n] for n in ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration"))
        return [work / frames] if frames else []

    def largest(seconds):
        """The least heap and the most elements and nodes in some time: faults come and go, and with them rows."""
        end, found = time.monotonic() + seconds, []
        while not found or time.monotonic() < end:
            found.append(size(browser))
            time.sleep(5)
        heaps, elements, nodes = zip(*found)
        return min(heaps), max(elements), max(nodes)

    total = minutes * 60
    # All faults of the demo have their turn in 100 s.
    phase, samples = min(100, total / 6), []

    def watch(until):
        while time.monotonic() - began < until:
            samples.extend(cost())

    began = time.monotonic()
    watch(total * 12 / 22)
    first = largest(phase)
    watch(total - phase)
    last = largest(phase)
    check(samples, "no frame has come")
    samples.sort()
    p95 = samples[int(len(samples) * 0.95)]
    print(f"  a frame costs {samples[len(samples) // 2]:.1f} ms, p95 {p95:.1f} ms", flush=True)
    check_growth(first, last)
    check(p95 <= frame_ms, f"a frame costs {p95:.1f} ms at p95, more than {frame_ms} ms")
