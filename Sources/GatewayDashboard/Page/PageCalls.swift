extension DashboardPage {
    /// The list of calls: the latest, the failed and the slowest.
    static let calls = #"""
        let callName=c=>c.op||c.method+" "+(c.template||c.origin),
        outcome=c=>c.outcome==="open"?"in progress":c.outcome==="cancelled"?"cancelled":c.error?words(c.error)+(c.phase?", "+words(c.phase):""):c.status||c.outcome,
        badCall=c=>c.outcome==="error"||c.outcome==="error_response",
        begun=c=>c.t-c.ms;
        // Kinds of time: text, class of the color, kinds of steps and phases.
        let TIME=[["waits for a token","g0","token"],["waits here","c1","admission rate_gate queue"],["waits to retry","c4","retry"],["connects","c3","dns connect tls"],["server","c0","attempt first_byte"],["receives","g1","receive"],["shares another’s","g2","joined"]],
        KINDS={};
        TIME.forEach(([,,k],i)=>{for(let n of k.split(" "))KINDS[n]=i});
        // How long a step took: one without an end, of a call in progress, until now.
        let took=(c,s)=>s.d??(c.outcome==="open"&&KINDS[s.k]!==undefined?max(0,c.ms-s.t):null);
        // The parts of a call that took time: [kind, begin, duration].
        let parts=c=>{
        if(c._p)return c._p;
        let out=[];
        for(let s of c.steps||[]){
        let t=s.t;
        if(s.phases&&s.phases.length)for(let p of s.phases){out.push([KINDS[p.k]??4,t,p.d]);t+=p.d}
        else if(took(c,s)!=null)out.push([KINDS[s.k]??4,t,took(c,s)])}
        return c._p=out};
        let scale=100;
        // The parts of all calls, a path for each kind of time.
        let paintFalls=(art,rows)=>{
        let d=TIME.map(()=>"");
        rows.forEach((c,i)=>{
        let x=0;
        for(let[k,t,len]of parts(c)){
        let a=max(x,t/scale*1e3);
        if(a<1e3)d[k]+=block(a,(x=min(1e3,max(a+4,(t+len)/scale*1e3)))-a,i*ROW+10)}});
        fit(art,TIME,()=>svg("path",{}),(p,[,c],k)=>{attr(p,"class",c);attr(p,"d",d[k])})};
        let COLOR={succeeded:"c0",cancelled:"c4",error_response:"c2",open:"g1"},
        drawOutcome=(td,c)=>{
        if(!td._dot)td.append(td._dot=el("i"),td._text=el("span"));
        look(td._dot,"dot "+(COLOR[c.outcome]||"c3"));
        put(td._text,outcome(c));
        look(td,badCall(c)?"out is-bad":"out")};
        let list=new Grid($("#calls .list"),"List of calls",[
        when("Began",begun,begun),
        {h:"Call",v:callName,up:1,t:callName},
        {h:"Outcome",v:c=>String(outcome(c)),draw:drawOutcome,c:"out"},
        {h:"Took",v:c=>c.ms,t:c=>ms(c.ms),c:"n",w:"5.8em"},
        {h:"Tries",v:c=>c.attempts,t:c=>c.attempts,c:"n o2",w:"4em",tip:"How often the request was sent"},
        {h:"Callers",v:c=>c.callers||0,t:c=>c.leader?"joined":c.callers||"",c:"n o2",w:"5.4em",tip:"Callers of one exchange"},
        {h:el("span"),t:c=>c.ms>scale*1.001?"▸":"",c:"fall o1",w:"21%"}],
        {key:c=>c.id,at:1,sort:[0,-1],paint:paintFalls,art:"",open:(c,b)=>openCall(c,b),mark:(tr,c)=>look(tr,opened&&opened.id===c.id?"sel":"")});
        legend($("#calls .legend"),TIME.map(([n,c])=>[n,"key "+c]));
        let showKind=k=>{
        kind=k;
        $$("#kind input")[k].checked=true;
        list.sort=[k===2?3:0,-1];
        list.top();
        redraw()};
        let drawCalls=v=>{
        // With a filter, all that is kept is searched.
        let q=$("#callfind").value.trim(),some=q||only!==null,
        rows=kind===1?v.failed:[...(v.frame.open||[]),...(kind===2?v.slow:some?lists(v):v.recent)];
        if(some)rows=rows.filter(c=>(only===null||opKey({id:c.op})===only)&&finds(q,callName(c),outcome(c),c.method,c.template,c.origin,c.side,c.id,c.trace));
        if(!list.held)scale=niceMax(Float64Array.from(rows,c=>c.ms).sort()[floor(rows.length*.95)]||1);
        put(list.heads[6].firstChild,"0 – "+ms(scale));
        list.update(rows,some?"No call that is kept matches.":v.past?"No such call of that time is kept.":kind===1?"No call has failed.":"No call has ended yet.");
        // What the stream had no room for is not among them.
        let{omitted:gone,frame:{calls_pending:next}}=v;
        put($("#calls .count"),rows.length?join([num(rows.length)+" kept",!v.past&&gone&&num(gone)+" left out",!v.past&&next&&num(next)+" to come"])+held(list):"");
        let b=$("#only");
        b.hidden=only===null;
        put(b,"Only "+opName({id:only})+" ×")};
        $("#only").onclick=()=>{onlyOperation(null);$("#callfind").focus()};
        $("#callfind").oninput=()=>{list.force=true;redraw()};
        choice("kind","Which calls",["Latest","Failed","Slowest"],0,showKind);
        """#
}
