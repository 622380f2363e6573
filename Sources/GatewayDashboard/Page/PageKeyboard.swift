extension DashboardPage {
    /// Time, pause, theme, and the keys for all of them.
    static let keyboard = #"""
        let go=t=>{
        at=t===null||!view||t>=view.now-1000?null:max(0,t);
        for(let g of[ops,list,guards,origins,log])g.force=true;
        redraw()};
        let back=$("#back"),golive=$("#golive");
        back.oninput=()=>go(view&&view.now+1000*back.value);
        golive.onclick=()=>{go(null);back.focus()};
        let drawTime=v=>{
        let ago=at===null?0:round((v.now-at)/2000)*2,text=at===null?(frozen?"Paused, ":"Now, ")+clock(unix(v.now)):clock(unix(at))+", "+span(ago*1000)+" ago";
        if(+back.value!==-ago)back.value=-ago;
        attr(back,"aria-valuetext",text);
        put($("#at"),text);
        golive.disabled=at===null};
        let setPause=on=>{
        pause(on);
        attr($("#pause"),"aria-pressed",!!frozen)};
        $("#pause").onclick=()=>setPause(!frozen);
        let setWindow=i=>{win=i;$$("#window input")[i].checked=true;ops.force=true;redraw()};
        choice("window","Window of the figures",AGO,win,setWindow);
        let THEMES=["system","light","dark"],dark=matchMedia("(prefers-color-scheme:dark)");
        let theme="system";
        try{theme=localStorage.getItem("theme")||theme}catch{}
        let setTheme=n=>{
        theme=n;
        look(document.documentElement,n==="dark"||n==="system"&&dark.matches?"dark":"");
        put($("#theme"),"Theme: "+n);
        try{localStorage.setItem("theme",n)}catch{}
        readColors();
        redraw()};
        $("#theme").onclick=()=>setTheme(THEMES[(THEMES.indexOf(theme)+1)%3]);
        dark.onchange=()=>setTheme(theme);
        let help=$("#help"),step=d=>view&&go((at??view.now)+d);
        let KEYS=[["Space","Pause or resume",()=>setPause(!frozen)],["1 2 3","Window: 10 s, 1 min, 5 min",k=>setWindow(k-1)],["o","Operations",()=>ops.focus(ops.cur)],["l f s","Latest, failed, slowest calls",k=>toCalls("lfs".indexOf(k))],["/","Filter calls",()=>$("#callfind").focus()],["↑ ↓","Previous row, next row"],["Enter","Open a call, or show only the calls of an operation"],["c","Copy the open call as curl",()=>opened&&copyCurl()],["Esc","Close the call, clear the filter, back to now"],["← →","10 s back, 10 s forth",k=>step(k==="←"?-1e4:1e4)],["n","Back to now",()=>{go(null);setPause(false)}],["t","Theme",()=>$("#theme").click()],["?","This list",()=>help.showModal()]];
        facts($(".facts",help),KEYS.map(k=>k.slice(0,2)));
        $("#keys").onclick=()=>help.showModal();
        $("button",help).onclick=()=>help.close();
        document.onkeydown=e=>{
        let t=e.target,typing=t.matches("[type=search]");
        if(e.ctrlKey||e.metaKey||e.altKey||help.open||e.defaultPrevented)return;
        if(e.key==="Escape"){
        if(typing&&t.value){t.value="";t.oninput()}
        else if(typing)t.blur();
        else if(opened)openCall(null);
        else if(only!==null)onlyOperation(null);
        else go(null);
        return}
        let name={ArrowLeft:"←",ArrowRight:"→"," ":"Space"}[e.key]||e.key,hit=KEYS.find(k=>k[2]&&k[0].split(" ").includes(name));
        if(!hit||typing||!$("#k-on").checked||/^[←→S]/.test(name)&&t.matches("input,button,[role=region]"))return;
        e.preventDefault();
        hit[2](name)};
        """#
}
