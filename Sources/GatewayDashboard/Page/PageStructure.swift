extension DashboardPage {
    /// The elements of the page. The script fills those that depend on the stream.
    static let structure = #"""
        <a class=skip href=#ops>Skip to operations</a>
        <header>
        <h1>Gateway dashboard</h1>
        <p id=link><i aria-hidden=true></i><span>Connecting</span></p>
        <div class=tools>
        <fieldset class=seg id=window></fieldset>
        <button id=pause aria-pressed=false>Pause</button>
        <button id=theme></button>
        <button id=keys>Keys</button>
        </div>
        </header>
        <main>
        <section id=now aria-label=State>
        <span id=mark aria-hidden=true>…</span>
        <div><p id=sentence role=status>Waiting for the first frame.</p><p id=cause></p><ul id=more></ul></div>
        </section>
        <dl id=tiles></dl>
        <section id=rates>
        <div class=head><h2>Calls per second</h2></div>
        <ul class=legend></ul>
        <div class=plot><canvas role=img></canvas><p class=empty hidden>No call has ended in the last ten minutes.</p></div>
        </section>
        <section id=heat>
        <div class=head><h2>Duration of calls</h2></div>
        <ul class=legend></ul>
        <div class=plot><canvas role=img></canvas><p class=empty hidden>No call has ended in the last ten minutes.</p></div>
        </section>
        <section id=time aria-label=Time>
        <label for=back>Ten minutes back</label>
        <input type=range id=back min=-600 max=0 value=0 step=2>
        <span id=at>Now</span>
        <button id=golive disabled>Back to now</button>
        </section>
        <section id=ops>
        <div class=head><h2>Operations</h2><span class=count></span><input type=search id=opfind aria-label="Filter operations" placeholder="Filter: orders" spellcheck=false></div>
        <div class=list></div>
        </section>
        <section id=calls>
        <div class=head><h2>Calls</h2><fieldset class=seg id=kind></fieldset><span class=count></span><button id=only hidden></button><input type=search id=callfind aria-label="Filter calls" placeholder="Filter: 503 orders" spellcheck=false></div>
        <ul class=legend></ul>
        <div class=list></div>
        </section>
        <section id=tokens><div class=head><h2>Tokens</h2><span class=count></span></div><ul class=legend></ul><div class=plot></div></section>
        <section id=side><div class=head><h2>Us or upstream</h2></div><p class=verdict></p>
        <div class=pair><div><h3>Failed calls by cause</h3><div class=body></div></div><div><h3>Where the time went</h3><div class=body></div></div></div>
        <p class=mut></p></section>
        <section id=guards><div class=head><h2>Protection</h2><span class=count></span></div><div class=list></div></section>
        <section id=log><div class=head><h2>What changed</h2></div><div class=list></div></section>
        <section id=origins><div class=head><h2>Connections</h2><span class=count></span></div><div class=list></div></section>
        <section id=rest><div class=head><h2>Cache, queue, network</h2></div><dl class=facts></dl></section>
        </main>
        <aside id=detail aria-labelledby=d-title hidden>
        <div class=head><h2 id=d-title tabindex=-1></h2><button>Close</button></div>
        <p id=d-why></p>
        <dl class=facts></dl>
        <h3>Timeline</h3>
        <div class=body></div>
        <div id=d-shared></div>
        <div class=head><h3>As a curl command</h3><button id=copy></button></div>
        <pre tabindex=0 role=region aria-label=Command></pre>
        </aside>
        <dialog id=help aria-labelledby=k-title><div class=head><h2 id=k-title>Keys</h2><button>Close</button></div>
        <dl class=facts></dl><label><input type=checkbox id=k-on checked> Single keys are active</label></dialog>
        """#
}
