extension DashboardPage {
    /// The steps of a call as lines with bars on one axis of time.
    static let waterfall = #"""
        let REFUSED={policy:"the policy allows no further attempt",deadline:"the deadline is too near",rate_gate:"the rate limit is closed for too long",budget:"the retry budget is exhausted",not_replay_safe:"the request could have an effect twice",body_not_replayable:"the body cannot be sent twice",credential:"the credential was rejected"};
        let refusal=s=>"Not retried: "+(REFUSED[s.reason]||words(s.reason));
        let endOf=s=>s.status?" → "+s.status:s.error?" → "+words(s.error)+(s.phase?", "+words(s.phase):""):"";
        let STEP={
        attempt:s=>"Attempt "+s.n+(s.why&&s.why!=="first"?" ("+words(s.why)+")":"")+(s.sent===false?", not sent":"")+endOf(s),
        token:()=>"Waits for a token",
        admission:()=>"Waits for admission",
        rate_gate:()=>"Waits for the rate limit",
        retry:s=>"Waits to retry after "+(s.status||words(s.error||"an error")),
        joined:()=>"Shares the exchange of another call",
        redirected:s=>"Redirected to "+(s.to||"")+endOf(s),
        rejected:s=>"Token rejected, generation "+s.generation,
        replayed:s=>"Sent again, generation "+s.generation,
        cache:s=>"Cache: "+words(s.result),
        cache_stored:s=>"Stored in the cache, "+num(s.bytes)+" bytes",
        hedged:()=>"Second request sent (hedge)",
        hedge_decided:s=>"Hedge decided: "+words(s.winner),
        not_retried:refusal,
        fallback:s=>"Fallback "+(s.step||"")+endOf(s),
        rate_limited:s=>"Rate limit holds it for "+ms(s.for_ms)};
        let PHASE={queue:"waits for a connection",dns:"resolves the name",connect:"connects",tls:"TLS handshake",first_byte:"waits for the first byte",receive:"receives the body"};
        let drawTimeline=(host,c)=>{
        let total=max(c.ms,.01),rows=[];
        let add=(text,t,d,shape,note,phase)=>{
        let bar=el("td"),x=min(994,t/total*1000);
        if(t!=null){
        let p=strip(bar);
        attr(p,"class",shape);
        attr(p,"d",d==null?block(x,4,1,14):block(x,min(1000-x,max(5,d/total*1000)),...(shape==="c4 line"?[6,4]:[])))}
        rows.push(el(phase?"tr.phase":"tr",{},el("th",{scope:"row"},text,note?el("small",{},note):""),el("td.n.o1",{},t==null?"":"+"+ms(t)),el("td.n",{},d==null?"":ms(d)),bar))};
        for(let s of c.steps||[]){
        let phases=s.phases||[],d=took(c,s),note=join([s.http&&"HTTP/"+s.http,s.peer,s.reused===true?"connection reused":s.reused===false?"new connection":""]," · ");
        add((STEP[s.k]||(s=>words(s.k)+endOf(s)))(s),s.t,d,phases.length?"c4 line":d==null?"fg":TIME[KINDS[s.k]??4][1],note);
        let t=s.t;
        for(let p of phases){add(PHASE[p.k]||words(p.k),t,p.d,TIME[KINDS[p.k]??4][1],"",true);t+=p.d}}
        if(c.steps_omitted)add(plural(c.steps_omitted,"more step")+" not kept");
        let head=["Step","Begins","Takes","0 – "+ms(c.ms)].map((h,i)=>el(["th","th.n.o1","th.n","th"][i],{scope:"col"},h));
        host.replaceChildren(rows.length?el("table.timeline",{},el("caption.vh",{},"Steps of the call"),el("thead",{},el("tr",{},...head)),el("tbody",{},...rows)):el("p.empty",{},"No steps are known of this call."))};
        """#
}
