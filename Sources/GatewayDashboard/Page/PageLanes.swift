extension DashboardPage {
    /// The lanes of tokens: their generations in the last ten minutes, and why each of them ended.
    static let lanes = #"""
        let REASON={demand:"none was usable: it is the first, or the old one had expired",advisory:"the old one was about to expire",rejected:"the old one was revoked: a server rejected it before it expired"};
        let TOKEN={refreshed:"new token",adopted:"token of another process",rejected:"revoked: rejected by a server",grant_discarded:"new token discarded",scopes_narrowed:"fewer scopes granted",store_failed:"could not be stored",store_recovered:"stored again",revocation_failed:"could not be revoked",not_shared:"requested by several coordinators"};
        let tokenText=e=>join([cap(TOKEN[e.kind]||words(e.kind)),e.reason&&({demand:"none was usable",advisory:"expires soon",rejected:"revoked"}[e.reason]||words(e.reason)),e.error&&words(e.error),e.status,e.server_error,e.permanent&&"permanent",e.took_ms!=null&&"took "+ms(e.took_ms),e.lifetime_ms!=null&&"valid for "+span(e.lifetime_ms)]);
        let begins=e=>e.kind==="refreshed"||e.kind==="adopted";
        let fails=e=>/^(rejected|signed_out|refresh_failed|store_failed)$/.test(e.kind);
        legend($("#tokens .legend"),[["usable, with its generation","key g0"],["refresh","key c1"],["revoked or failed","key g3"]]);
        let tokenState=t=>t.credentials==null?["",""]:t.waiting?[plural(t.waiting,"caller waits","callers wait"),"is-warn"]:t.failure&&!t.usable?[t.failure.permanent?"Sign-in or configuration needed":"Refresh failed","is-bad"]:t.failure?["Refresh failed, still valid","is-warn"]:t.refreshing?["Refreshing",""]:t.usable?["Valid",""]:t.generation?["No usable token","is-warn"]:["Not requested yet",""];
        let makeLane=()=>{
        let c=el("canvas",{role:"img"}),d=el("div.lane",{tabIndex:-1},el("div.head",{},el("h3"),el("strong")),el("p"),c,el("p.mut"));
        d._plot=new Plot(c,0,0,18);
        return d};
        let tellLane=(d,t,v)=>{
        let[head,text,,below]=d.children;
        d._label=t.label;
        put(head.firstChild,t.label);
        let[state,c]=tokenState(t);
        put(head.lastChild,state);
        look(head.lastChild,c);
        put(text,join([t.generation&&"Generation "+t.generation+(t.reason?(t.refreshing?", the next one is":",")+" requested because "+(REASON[t.reason]||words(t.reason)):""),
        t.valid_ms!=null&&span(t.valid_ms)+" left"+(t.lifetime_ms?" of "+span(t.lifetime_ms):""),
        (t.subjects||t.credentials>1)&&num(t.usable)+" of "+plural(t.credentials,"credential")+" usable",
        t.failure&&"failed: "+words(t.failure.error)+(t.failure.retry_ms!=null?", again in "+ms(t.failure.retry_ms):"")]," · "));
        put(below,(t.events||[]).filter(e=>e.t<=v.end).slice(-3).map(e=>clock(unix(e.t))+" "+tokenText(e)).join("  ·  "));
        entitle(d._plot,"Generations of "+t.label)};
        let drawLane=(p,t,v)=>{
        if(!p.begin())return;
        let all=t.events||[],y=p.top,h=p.ih-2,g=p.g;
        p.box(0,y,p.w,h,colors.soft);
        // Generations: from their begin to a rejection, a sign-out or the next one.
        let gens=all.filter(begins).map(e=>[e.t,e.generation]),first=gens[0];
        if(first?first[1]>1:t.usable)gens.unshift([max(0,p.start),first?first[1]-1:t.generation]);
        gens.forEach(([from,n],i)=>{
        let limit=i+1<gens.length?gens[i+1][0]:v.now,stop=all.find(e=>e.t>from&&e.t<limit&&(e.kind==="rejected"||e.kind==="signed_out"));
        let to=stop?stop.t:limit,a=p.x(from),b=p.x(to);
        if(to<p.start)return;
        p.box(a,y,max(1,b-a-1),h,colors.g0);
        if(n&&b-a>30)p.text(n,b-a>60?a+16:a+6,y+h/2+1,"left",colors.card)});
        let drops=all.filter(fails).map(e=>p.x(e.t));
        let free=0;
        for(let e of all)if(e.t>=p.start){
        let a=p.x(e.t);
        if(e.kind==="refresh_started"){
        let end=all.find(o=>o.t>e.t&&(begins(o)||fails(o)));
        p.box(a,y,max(3,p.x(end?end.t:v.now)-a),h,colors.c1);
        // How many callers waited, where it has room.
        let n=max(e.waiting||0,end&&end.waiting||0),s=num(n)+" waited",width=g.measureText(s).width,at=a+9+width>p.w?a-9-width:a+9;
        if(n&&at>free&&!drops.some(x=>x>at-6&&x<at+width+6)){p.text(s,at,7,"left");free=at+width+8}}
        else if(fails(e)){p.box(a-1,y-1,2,h+2,colors.bad);p.drop(a,y-3,colors.bad)}}
        p.times();
        p.cursor()};
        let tokenTable=tabled("tokens",[when("Time",r=>r.e.t),{h:"Event",t:r=>tokenText(r.e),c:"wrap"},{h:"Token",t:r=>r.t.label,c:"o2"},{h:"Generation",t:r=>r.e.generation??"",c:"n",w:"7em"},{h:"Waiting",t:r=>num(r.e.waiting||0),c:"n o1",w:"5.4em"}],r=>r.t.label+r.e.t+r.e.kind);
        let drawLanes=v=>(v.frame.tokens||[]).forEach((t,i)=>{
        let d=$("#tokens .plot").children[i];
        if(d&&d._plot)drawLane(d._plot,t,v)});
        let drawTokens=v=>{
        let host=$("#tokens .plot"),tokens=v.frame.tokens||[];
        if(host.hidden)return tokenTable.update(tokens.flatMap(t=>(t.events||[]).filter(e=>e.t<=v.end).map(e=>({t,e}))).sort((a,b)=>b.e.t-a.e.t),"No token has been requested.");
        if(tokens.length&&host.firstChild&&!host.firstChild._plot||!tokens.length&&!host.querySelector(".empty"))host.replaceChildren(...(tokens.length?[]:[el("p.empty",{},v.recorded?"No token is used.":GONE)]));
        if(tokens.length)fit(host,tokens,makeLane,(d,t)=>tellLane(d,t,v))};
        """#
}
