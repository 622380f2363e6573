extension DashboardPage {
    /// The stream of frames, and the redraw that follows each of them.
    static let stream = #"""
        let source=null,heard=0,opens=0,lost=null,due=false,half=null,flip=0;
        let connect=()=>{
        if(source)source.close();
        opens=Date.now();
        source=new EventSource("stream");
        let on=(name,f)=>source.addEventListener(name,e=>{heard=Date.now();f(JSON.parse(e.data))});
        on("hello",forget);
        on("history",d=>addColumns(d.columns,S.hello.now_ms));
        on("calls",d=>addCalls(d.calls,S.hello.now_ms));
        on("frame",f=>{lost=null;let part=S.frame&&(flip=1-flip);addFrame(f);redraw(part)})};
        // A stream that is silent for 4 s is lost. It is opened again: after 5 s if the server refused it.
        let watch=()=>{
        let now=Date.now(),refused=source.readyState===2;
        // What the latest frame has not drawn.
        if(now-heard>1500)redraw();
        if(now-max(heard,opens)>4000){
        lost=(refused?"The server refuses the stream: the program was started again and has another link, or eight pages are open.":"The stream is lost: the program has ended or does not answer.")+(S.frame?" This is the state of "+clock(S.start+S.frame.now_ms)+".":"");
        if(now-opens>(refused?5000:10000))connect();
        redraw()}};
        // A frame of the stream draws the sentence, the figures at the top, and in turn one half of the rest.
        let redraw=(part=null)=>{
        half=due&&half!==part?null:part;
        if(due||document.hidden)return;
        due=true;
        requestAnimationFrame(draw)};
        let draw=()=>{
        due=false;
        let s=getSelection(),v=view=current();
        selected=s&&!s.isCollapsed?s:null;
        let part=half,tell=v&&part!==1?[drawRates(v),drawHeat(v)]:[];
        half=null;
        if(v&&part!==1)drawLanes(v);
        let[text,c]=lost?["Lost, connecting again","lost"]:!v?["Connecting","past"]:at!==null?["In the past","past"]:frozen?["Paused","past"]:["Live",""];
        put($("#link span"),text);
        for(let n of["lost","past"])cls(document.body,n,c===n);
        if(!v){if(lost)drawNow(v);return}
        for(let f of tell)f();
        drawTables(v);drawTime(v);drawSections(v,part);followCall()};
        document.onvisibilitychange=redraw;
        setTheme(theme);
        connect();
        setInterval(watch,1000);
        """#
}
