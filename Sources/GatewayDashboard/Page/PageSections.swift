extension DashboardPage {
    /// The sentence, the figures at the top, and the smaller sections.
    static let sections = #"""
        let MARK={ok:["ok","✓"],warning:["warn","!"],critical:["bad","×"],info:["none","i"],idle:["none","–"]};
        let mark=s=>MARK[s]||MARK.info;
        let TARGET={token:"tokens",breaker:"guards",bulkhead:"guards",rate_gate:"guards",budget:"guards",operation:"calls",origin:"origins",network:"rest",queue:"rest",cache:"rest",engine:"rest"};
        // Leads to what a sentence is about.
        let lead=a=>{
        if(a.kind==="operation"){onlyOperation(a.name);showKind(0)}
        let card=$("#"+TARGET[a.kind]),goal=a.kind==="token"&&$$(".lane",card).find(d=>d._label===a.name)||card;
        goal.tabIndex=-1;
        goal.focus({preventScroll:true});
        goal.scrollIntoView();
        cls(goal,"flash",false);
        void goal.offsetWidth;
        cls(goal,"flash",true)};
        let leadButton=()=>{let b=el("button.go",{onclick:()=>lead(b._about)});return b};
        let setLead=(b,{about:a},text)=>{
        b._about=a;
        b.hidden=!a||!TARGET[a.kind];
        put(b,text||"Show "+({operation:"calls of "+(a&&a.name),origin:"connections"}[a&&a.kind]||"the "+words(a&&a.kind)))};
        let latest=el("button.go",{onclick:()=>{showKind(1);openCall(view.failed[view.failed.length-1],latest)}},"Why did the latest call fail?");
        // Three problems beside the first in a line each, or all of them.
        let unfolded=false;
        let fold=el("button.go",{onclick:()=>{unfolded=!unfolded;redraw()}});
        $("#cause").append(el("span"),leadButton(),latest,fold);
        let drawNow=v=>{
        let s=lost?{severity:"critical",text:lost}:v&&v.frame.sentence||{text:""},all=lost?[]:v.frame.problems||[],[c,m]=mark(s.severity),[side,button]=$("#cause").children;
        look($("#now"),c+(unfolded?" all":""));
        put($("#mark"),m);
        put($("#sentence"),s.text);
        put(side,s.side?SIDE[s.side]||s.side:"");
        setLead(button,s);
        latest.hidden=!all.length||!v.failed.length;
        fold.hidden=!all[1];
        put(fold,unfolded?"Fewer problems":plural(all.length-1,"more problem"));
        fit($("#more"),all.slice(1,unfolded?9:4),()=>el("li",{},el("i"),el("span"),leadButton()),(li,p)=>{
        look(li.children[0],"dot "+mark(p.severity)[0]);
        put(li.children[1],p.text);
        setLead(li.children[2],p)});
        let title=({warning:"! ",critical:"× "}[s.severity]||"")+"Gateway dashboard";
        if(document.title!==title)document.title=title};
        let toCalls=k=>{
        showKind(k);
        if(view)drawCalls(view);
        $("#calls").scrollIntoView({block:"nearest"});
        if(list.list.length)list.focus(list.list[0].id)};
        // Figures: name, what a click does.
        let TILES=[["Calls"],["Failed",()=>toCalls(1)],["p95",()=>toCalls(2)],["In progress"],["Retries"],["Shared"],["Cache"],["Tokens",()=>lead({kind:"token"})]];
        for(let[name,onclick]of TILES)$("#tiles").append(el("div",{},el("dt",{},name),el("dd",{},onclick?el("button.go",{onclick}):el("span"),el("small")),el("dd.sub",{})));
        let drawTiles=v=>{
        let f=v.frame,t=total(),ended=(t.succeeded||0)+(t.failed||0),bad=ended?t.failed/ended:0,c=f.cache&&f.cache["1m"],looked=c?c.hit+c.stale+c.miss:0;
        let k=(f.tokens||[]).filter(t=>t.credentials!=null),of=n=>sum(k.map(t=>t[n]||0)),waits=of("waiting");
        [[num((t.started||0)/(t.seconds||1)),num(t.started||0)+" in "+(v.recorded?covers(win):AGO[win]),"","/s"],
        [pct(t.failed,ended),num(t.failed||0)+", "+num(t.error_responses||0)+" by status",bad>=.05?"bad":bad>0&&"warn"],
        [ms(t.p95_ms),"p99 "+ms(t.p99_ms)],
        [num(t.in_progress),f.health?num(f.health.coalesced||0)+" share a response":""],
        [pct(t.retries,t.started),num(t.retries||0)+(t.replays==null?"":", "+num(t.replays)+" for a token"),t.retries>t.started*.1&&"warn"],
        [pct(t.joined,t.started),t.joined==null?"":num(t.joined)+" joined another"],
        [c?pct(c.hit+c.stale+c.revalidated,looked):"–",c?"of "+num(looked)+" in 1 min":v.recorded?"not used":""],
        [k.length?num(of("usable"))+"/"+num(of("credentials")):"–",k.length?num(waits)+" waiting":v.recorded?"none used":"",waits&&"warn"]].forEach(([value,below,color,unit],i)=>{
        let[,dd,sub]=$("#tiles").children[i].children;
        put(dd.firstChild,value);put(dd.lastChild,unit?" "+unit:"");put(sub,below);
        for(let c of["bad","warn"])cls(dd.firstChild,"is-"+c,color===c)})};
        // Rows of a name, a bar and a value.
        let shares=(host,rows)=>{
        if(!host._t)host.append(el("table.shares",{},host._t=el("tbody")));
        let most=max(...rows.map(r=>r[1]),1e-9);
        fit(host._t,rows,()=>{
        let td=el("td"),tr=el("tr",{},el("th",{scope:"row"}),td,el("td.n"));
        tr._p=strip(td);
        return tr},(tr,[name,n,text,c])=>{
        put(tr.firstChild,name);put(tr.lastChild,text);
        attr(tr._p,"class",c);
        attr(tr._p,"d",n?block(0,max(3,n/most*1000)):"")})};
        let SIDES=[["Upstream server","upstream","c2"],["Network","network","c3"],["Token","token","g0"],["Here","here","c1"]];
        let drawSide=v=>{
        let recent=c=>c.t>=v.end-SECONDS[win]*1000,failed=v.failed.filter(recent),calls=lists(v).filter(recent),time=TIME.map(()=>0),[left,right]=$$("#side .body");
        let counts=SIDES.map(([name,k,c])=>{
        let n=failed.filter(c=>c.side===k).length;
        return[name,n,num(n),c]});
        for(let c of calls)for(let[k,,d]of parts(c))time[k]+=d;
        let all=sum(time),[most]=[...counts].sort((a,b)=>b[1]-a[1]);
        shares(left,counts);
        shares(right,TIME.map(([n,c],i)=>[cap(n),time[i],pct(time[i],all),c]));
        put($("#side .verdict"),failed.length?"Mostly "+({"Upstream server":"upstream",Here:"us"}[most[0]]||"the "+most[0].toLowerCase())+": "+num(most[1])+" of "+plural(failed.length,"failed call")+".":v.past?"No failed call of that time is kept.":"No call has failed in the last "+AGO[win]+".");
        put($("#side .mut"),"From "+plural(calls.length,"call")+" kept of the last "+AGO[win]+".")};
        let STATE={open:"bad",isolated:"bad",half_open:"warn"};
        // What protects calls: [key, what, where, state, class, details].
        let guardRows=f=>[
        ...(f.breakers||[]).map(b=>["b"+b.name,"Circuit breaker",b.name,cap(words(b.state)),STATE[b.state],(b.open_ms!=null?"probes in "+ms(b.open_ms)+", ":"")+"opened "+plural(b.opened||0,"time")]),
        ...(f.rate_gates||[]).map(g=>["r"+g.origin+g.name,"Rate limit "+(g.name||""),g.origin,g.closed_ms?"Closed":"Paced",g.closed_ms&&"warn",(g.closed_ms?"for "+ms(g.closed_ms)+", ":"")+num(g.waiting)+" waiting"+(g.per_second?", "+num(g.per_second)+"/s":"")]),
        ...(f.budgets||[]).map(b=>["t"+b.origin,"Retry budget",b.origin,b.exhausted?"Exhausted":"In use",b.exhausted&&"bad",plural(b.retries,"retry","retries")+" left"]),
        ...(f.bulkheads||[]).map(b=>["l"+b.origin,"Bulkhead",b.origin||"All origins",b.waiting?num(b.waiting)+" waiting":b.in_use>=b.limit?"Full":"Free",(b.waiting||b.in_use>=b.limit)&&"warn",num(b.in_use)+" of "+num(b.limit)+" in use"+(b.hold_ms!=null?", held "+ms(b.hold_ms):"")]),
        ...[f.hedging].filter(Boolean).map(h=>["h","Hedging","All origins",num(h.hedges)+" sent","",num(h.wins)+" won, "+num(h.refused)+" refused"])];
        let guards=new Grid($("#guards .list"),"List of protections",[{h:"What",c:"wrap",draw:(td,r)=>{
        if(!td._s)td.append(el("span"),td._s=el("small.mut"));
        put(td.firstChild,r[1]);put(td._s,bare(r[2]))}},{h:"State",w:"7.4em",draw:(td,r)=>{put(td,r[3]);look(td,r[4]?"is-"+r[4]:"")}},{h:"Detail",t:r=>r[5],c:"wrap"}],{key:r=>r[0]});
        let origins=new Grid($("#origins .list"),"List of origins",[{h:"Origin",v:o=>o.origin,up:1,t:o=>bare(o.origin),c:"wrap"},...["Open","Active","Waiting"].map((h,i)=>{let k=["open","active","waiting"][i];return{h,v:o=>o[k],t:o=>num(o[k]),c:"n",w:"5.4em"}})],{key:o=>o.origin,sort:[1,-1]});
        let log=new Grid($("#log .list"),"List of changes",[when("Time",l=>l.t),{h:"Change",c:"wrap",draw:(td,l)=>{
        if(!td._b)td.append(el("i"),el("span"),td._b=leadButton());
        look(td.children[0],"dot "+mark(l.severity)[0]);
        put(td.children[1],l.text);
        setLead(td._b,l,"Show")}}],{key:l=>l.t+l.text});
        let drawRest=v=>{
        let f=v.frame,c=f.cache,n=f.network,h=f.health;
        facts($("#rest .facts"),!v.recorded?[["State",GONE]]:[
        ["Engine",h&&(h.ending?"is shutting down":h.ready?"ready":"not ready: "+(h.obstacles||[]).join("; ")),h&&(h.ending||!h.ready)],
        ["Cache",c?["hit","stale","revalidated","miss"].map(k=>num(c.all[k])+" "+k).join(", ")+"; "+num(c.stored)+" stored, "+num(c.evicted)+" evicted"+(c.store_failures?", "+plural(c.store_failures,"failure")+" of the store":""):"no look-up yet",c&&c.store_failures],
        ...(f.parts||[]).map(p=>[p.name==="queue"?"Offline queue":p.name,words(p.state)+Object.entries(p.counts||{}).map(([k,n])=>", "+num(n)+" "+words(k)).join(""),!p.ready]),
        ["Network",n?n.quality+(n.interrupted?", interrupted":"")+(n.obstacle?", "+words(n.obstacle):""):"not observed",n&&(n.quality==="offline"||n.obstacle)],
        ["Parts",more(f,"parts")],
        ["Not followed",f.dropped&&plural(f.dropped,"call")+" without steps"]])};
        let SECTIONS={ops:drawOps,calls:drawCalls,tokens:drawTokens,side:drawSide,rest:drawRest,
        guards:v=>guards.update(guardRows(v.frame),v.recorded?"No breaker, bulkhead or rate limit is in use.":GONE),
        origins:v=>origins.update(v.frame.origins||[],v.recorded?"No connection is open.":GONE),
        log:v=>log.update((v.frame.log||[]).filter(l=>l.t<=v.end).reverse(),"Nothing has changed yet.")};
        // Of the sections out of sight one is drawn at a time, so that they are a few seconds old at most.
        let seen=new Set,eyes=new IntersectionObserver(list=>{
        for(let e of list)seen[e.isIntersecting?"add":"delete"](e.target.id);
        redraw()});
        let turn=0;
        for(let id in SECTIONS)eyes.observe($("#"+id));
        let drawSections=(v,part)=>{
        drawNow(v);drawTiles(v);
        for(let[id,...kinds]of[["tokens","tokens"],["guards","breakers","bulkheads","budgets","rate_gates"],["origins","origins"]])put($(`#${id} .count`),more(v.frame,...kinds));
        let ids=Object.keys(SECTIONS),hidden=ids.filter(id=>!seen.has(id)),next=hidden[turn++%hidden.length];
        ids.forEach((id,i)=>{if(seen.has(id)?part===null||part===i%2:id===next)SECTIONS[id](v)})};
        """#
}
