extension DashboardPage {
    /// The stream of frames, and the redraw that follows each of them.
    static let stream = #"""
        let source=null,heard=0,opens=0,lost=null,due=false;
        const connect=()=>{
        if(source)source.close();
        opens=Date.now();
        source=new EventSource("stream");
        const on=(name,f)=>source.addEventListener(name,e=>{heard=Date.now();f(JSON.parse(e.data))});
        on("hello",forget);
        on("history",d=>addColumns(d.columns,S.hello.now_ms));
        on("calls",d=>addCalls(d.calls,S.hello.now_ms));
        on("frame",f=>{lost=null;addFrame(f);redraw()})};
        // A stream that is silent for 4 s is lost. It is opened again: after 5 s if the server refused it.
        const watch=()=>{
        const now=Date.now(),refused=source.readyState===2;
        if(now-max(heard,opens)>4000){
        lost=(refused?"The server refuses the stream: the program was started again and has another link, or eight pages are open.":"The stream is lost: the program has ended or does not answer.")+(S.frame?" This is the state of "+clock(S.start+S.frame.now_ms)+".":"");
        if(now-opens>(refused?5000:10000))connect();
        redraw()}};
        const redraw=()=>{
        if(due||document.hidden)return;
        due=true;
        requestAnimationFrame(draw)};
        const draw=()=>{
        due=false;
        const s=getSelection(),v=view=current();
        selected=s&&!s.isCollapsed?s:null;
        const tell=v?[drawRates(v),drawHeat(v)]:[];
        if(v)drawLanes(v);
        const[text,c]=lost?["Lost, connecting again","lost"]:!v?["Connecting","past"]:at!==null?["In the past","past"]:frozen?["Paused","past"]:["Live",""];
        put($("#link span"),text);
        for(const n of["lost","past"])cls(document.body,n,c===n);
        if(!v){if(lost)drawNow(v);return}
        for(const f of tell)f();
        drawTables(v);drawTime(v);drawSections(v);followCall()};
        document.onvisibilitychange=redraw;
        setTheme(theme);
        connect();
        setInterval(watch,1000);
        """#
}
