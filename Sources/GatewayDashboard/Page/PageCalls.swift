extension DashboardPage {
    /// The list of calls: the latest, the failed and the slowest.
    static let calls = #"""
        const callName=c=>c.op||c.method+" "+(c.template||c.origin);
        const outcome=c=>c.outcome==="open"?"in progress":c.outcome==="cancelled"?"cancelled":c.error?words(c.error)+(c.phase?", "+words(c.phase):""):c.status||c.outcome;
        const badCall=c=>c.outcome==="error"||c.outcome==="error_response";
        const begun=c=>c.t-c.ms;
        // Kinds of time: text, class of the color, kinds of steps and phases.
        const TIME=[["waits for a token","g0","token"],["waits here","c1","admission rate_gate queue"],["waits to retry","c4","retry"],["connects","c3","dns connect tls"],["server","c0","attempt first_byte"],["receives","g1","receive"],["shares another’s","g2","joined"]];
        const KINDS={};
        TIME.forEach(([,,k],i)=>{for(const n of k.split(" "))KINDS[n]=i});
        // How long a step took: one without an end, of a call in progress, until now.
        const took=(c,s)=>s.d??(c.outcome==="open"&&KINDS[s.k]!==undefined?max(0,c.ms-s.t):null);
        // The parts of a call that took time: [kind, begin, duration].
        const parts=c=>{
        if(c._p)return c._p;
        const out=[];
        for(const s of c.steps||[]){
        let t=s.t;
        if(s.phases&&s.phases.length)for(const p of s.phases){out.push([KINDS[p.k]??4,t,p.d]);t+=p.d}
        else if(took(c,s)!=null)out.push([KINDS[s.k]??4,t,took(c,s)])}
        return c._p=out};
        let scale=100;
        // The parts as one background: that needs no layout.
        const drawFall=(td,c)=>{
        if(td._c===c&&td._scale===scale)return;
        td._c=c;td._scale=scale;
        let x=0,g="linear-gradient(90deg";
        for(const[k,t,len]of parts(c)){
        const a=max(x,t/scale*100),b=min(100,max(a+.4,(t+len)/scale*100));
        if(a<100)g+=`,#0000 ${x}% ${a}%,var(--${TIME[k][1]}) ${a}% ${x=b}%`}
        td.style.backgroundImage=g+`,#0000 ${x}%)`;
        put(td,c.ms>scale*1.001?"▸":"")};
        const COLOR={succeeded:"c0",cancelled:"c4",error_response:"c2",open:"g1"};
        const drawOutcome=(td,c)=>{
        if(!td._dot)td.append(td._dot=el("i"),td._text=el("span"));
        look(td._dot,"dot "+(COLOR[c.outcome]||"c3"));
        put(td._text,outcome(c));
        td.title=outcome(c);
        cls(td,"is-bad",badCall(c))};
        const list=new Grid($("#calls .list"),"List of calls",[
        when("Began",begun,begun),
        {h:"Call",v:callName,up:1,t:callName},
        {h:"Outcome",v:c=>String(outcome(c)),draw:drawOutcome,c:"out"},
        {h:"Took",v:c=>c.ms,t:c=>ms(c.ms),c:"n",w:"5.8em"},
        {h:"Tries",v:c=>c.attempts,t:c=>c.attempts,c:"n o2",w:"4em",tip:"How often the request was sent"},
        {h:"Callers",v:c=>c.callers||0,t:c=>c.leader?"joined":c.callers||"",c:"n o2",w:"5.4em",tip:"Callers of one exchange"},
        {h:el("span"),draw:drawFall,c:"fall o1",w:"21%"}],
        {key:c=>c.id,at:1,sort:[0,-1],open:(c,b)=>openCall(c,b),mark:(tr,c)=>cls(tr,"sel",opened&&opened.id===c.id)});
        legend($("#calls .legend"),TIME.map(([n,c])=>[n,"key "+c]));
        const showKind=k=>{
        kind=k;
        $$("#kind input")[k].checked=true;
        list.sort=[k===2?3:0,-1];
        list.top();
        redraw()};
        const drawCalls=v=>{
        // With a filter, all that is kept is searched.
        const q=$("#callfind").value.trim(),some=q||only!==null;
        let rows=kind===1?v.failed:[...(v.frame.open||[]),...(kind===2?v.slow:some?lists(v):v.recent)];
        if(some)rows=rows.filter(c=>(only===null||opKey({id:c.op})===only)&&finds(q,callName(c),outcome(c),c.method,c.template,c.origin,c.side,c.id,c.trace));
        if(!list.held)scale=niceMax(rows.map(c=>c.ms).sort((a,b)=>a-b)[floor(rows.length*.95)]||1);
        put(list.heads[6].firstChild,"0 – "+ms(scale));
        list.update(rows,some?"No call that is kept matches.":v.past?"No such call of that time is kept.":kind===1?"No call has failed.":"No call has ended yet.");
        // What the stream had no room for is not among them.
        const{omitted:gone,frame:{calls_pending:next}}=v;
        put($("#calls .count"),rows.length?join([num(rows.length)+" kept",!v.past&&gone&&num(gone)+" left out",!v.past&&next&&num(next)+" to come"])+held(list):"");
        const b=$("#only");
        b.hidden=only===null;
        put(b,"Only "+opName({id:only})+" ×")};
        $("#only").onclick=()=>{onlyOperation(null);$("#callfind").focus()};
        $("#callfind").oninput=()=>{list.force=true;redraw()};
        choice("kind","Which calls",["Latest","Failed","Slowest"],0,showKind);
        """#
}
