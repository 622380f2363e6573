extension DashboardPage {
    /// What the stream has said, kept for ten minutes, and what of it is shown: now, paused, or a time in the past.
    static let state = #"""
        let S={snaps:[]};
        let WINDOWS=["10s","1m","5m"],SECONDS=[10,60,300],AGO=["10 s","1 min","5 min"],SPAN=600000;
        let frozen=null,at=null,hover=null,win=1,kind=0,only=null;
        // A window moves in steps, and so covers a little more than its name says.
        let covers=i=>(S.hello.windows||[]).find(w=>w.id===WINDOWS[i])?.label||AGO[i];
        let forget=hello=>{
        let start=hello.start_unix_ms,same=S.start===start;
        Object.assign(S,{hello,start,cols:new Map,recent:[],failed:[],slow:[],frame:null,omitted:0,snaps:same?S.snaps:[]});
        $$("#window input").forEach((b,i)=>b.title="Covers the last "+covers(i));
        if(!same){at=null;setPause(false);openCall(null)}};
        let addColumns=(list,now)=>{
        for(let c of list||[])S.cols.set(c[0],c);
        for(let k of S.cols.keys())if(k<now/2000-S.hello.column_count-1)S.cols.delete(k);else break};
        // Calls come in any order. One that comes again replaces the one that is there.
        let addCalls=(calls=[],now)=>{
        let{recent,failed,slowest}=S.hello.kept,ids=new Set(calls.map(c=>c.id)),
        merge=(old,letter,by)=>[...old.filter(c=>!ids.has(c.id)),...calls.filter(c=>c.in.includes(letter))].sort((a,b)=>a[by]-b[by]);
        S.recent=merge(S.recent,"r","t").slice(-recent);
        S.failed=merge(S.failed,"f","t").slice(-failed);
        S.slow=merge(S.slow,"s","ms").filter(c=>c.t>now-SPAN).slice(-slowest)};
        let addFrame=f=>{
        addColumns(f.columns,f.now_ms);
        addCalls(f.calls,f.now_ms);
        delete f.columns;delete f.calls;
        S.omitted+=f.calls_omitted||0;
        // The clock of the machine may have been set.
        S.start=f.start_unix_ms??S.start;
        S.frame=f;
        // A frame each 10 s is kept, so that tables go back as well.
        let last=S.snaps[S.snaps.length-1];
        if(!last||f.now_ms-last.now_ms>9500)S.snaps.push(f);
        while(S.snaps.length&&S.snaps[0].now_ms<f.now_ms-SPAN-10000)S.snaps.shift()};
        let pause=on=>{
        frozen=on&&S.frame?{...S,cols:new Map(S.cols),snaps:[...S.snaps]}:null;
        redraw()};
        let unix=t=>view.start+t;
        // The figures of columns, for times that the page has no frame of.
        let totalOf=(cols,now,secs)=>{
        let t={seconds:min(secs,max(2,(now-2000*min(...cols.keys()))/1000)),started:0,succeeded:0,failed:0,error_responses:0,cancelled:0,retries:0};
        for(let k=floor((now-secs*1000)/2000)+1;k<=now/2000;k++){
        let c=cols.get(k);
        if(!c)continue;
        t.started+=c[1];t.succeeded+=c[2];t.error_responses+=c[3];t.failed+=c[3]+c[4];t.cancelled+=c[5];t.retries+=c[6]}
        return t};
        // What is shown: `frame` with its lists of calls, up to `end`; `now` is the right edge of the charts.
        let view=null;
        let current=()=>{
        let s=frozen||S;
        if(!s.frame)return null;
        let now=s.frame.now_ms,v={...s,now,end:now,past:false,recorded:true};
        if(at!==null){
        let first=now-SPAN;
        if(at<first)at=first;
        Object.assign(v,{end:at,past:true});
        let until=c=>c.t<=at;
        for(let list of["recent","failed","slow"])v[list]=s[list].filter(until);
        let f=s.snaps.filter(f=>f.now_ms<=at+1000).pop();
        v.recorded=!!f&&at-f.now_ms<12000;
        v.frame=v.recorded?f:{now_ms:at,sentence:{severity:"idle",text:"This page was not open at "+clock(s.start+at)+": only charts, calls and what happened to tokens are known."},totals:Object.fromEntries(WINDOWS.map((w,i)=>[w,totalOf(s.cols,at,SECONDS[i])])),tokens:(s.frame.tokens||[]).map(({label,events})=>({label,events})),log:s.frame.log};
        v.frame={...v.frame,open:[]}}
        return v};
        let lists=v=>[...new Set([...v.recent,...v.failed,...v.slow])];
        let findCall=id=>[...S.recent,...S.failed,...S.slow,...(S.frame&&S.frame.open||[]),...(frozen?[...frozen.recent,...frozen.failed,...frozen.slow]:[])].find(c=>c.id===id);
        """#
}
