extension DashboardPage {
    /// The table of operations.
    static let operations = #"""
        // The figures of an operation in the window: calls, failed, p50, p95, p99.
        let w=o=>o.w&&o.w[win]||[],
        total=()=>(view.frame.totals||{})[WINDOWS[win]]||{},
        per=o=>(w(o)[0]||0)/(total().seconds||SECONDS[win]),
        opKey=o=>o.id||"",
        opName=o=>o.id==="_OTHER"?"All others":o.id||"Without operation",
        share=o=>w(o)[0]?w(o)[1]/w(o)[0]:null,
        BAR={};
        for(let i=0;i<36;i++)BAR[i.toString(36)]=i?(h=>`v-${h}h26v${h}h7`)(fix(max(1.5,i/2),1)):"h33";
        let paintSparks=(art,rows)=>fit(art,rows,()=>svg("path",{}),(p,{spark=""},i)=>{
        if(p._s!==spark)attr(p,"d",`M5 ${i*ROW+25}`+[...p._s=spark].map(ch=>BAR[ch]).join(""))});
        let drawShare=(td,o)=>{
        let s=share(o);
        put(td,pct(w(o)[1],w(o)[0]));
        look(td,s>=.05?"n is-bad":s>0?"n is-warn":"n")};
        let figure=(h,i,c)=>({h,v:o=>w(o)[i],t:o=>ms(w(o)[i]),c,w:"5.4em"}),
        ops=new Grid($("#ops .list"),"List of operations",[
        {h:"Operation",v:opName,up:1,t:opName},
        {h:"Request",t:o=>o.template?o.method+" "+o.template:"",c:"o3 mut"},
        {h:"Calls/s",v:per,t:o=>num(per(o)),c:"n",w:"5.8em"},
        {h:"Failed",v:share,draw:drawShare,c:"n",w:"5em"},
        figure("p50",2,"n o1"),figure("p95",3,"n"),figure("p99",4,"n o1"),
        {h:"Now",v:o=>o.in_progress||0,t:o=>o.in_progress||"",c:"n o3",w:"3.6em",tip:"Calls in progress"},
        {h:"Ten minutes",t:()=>"",c:"o1",w:"106px"}],
        {key:opKey,sort:[2,-1],paint:paintSparks,art:"spark",open:o=>onlyOperation(only===opKey(o)?null:opKey(o)),mark:(tr,o)=>{
        look(tr,only===opKey(o)?"sel":"");
        attr(tr._btn,"aria-pressed",only===opKey(o))}});
        let finds=(query,...texts)=>!query||query.toLowerCase().split(/\s+/).every(q=>texts.join(" ").toLowerCase().includes(q)),
        GONE="Not recorded by this page at that time.",
        held=g=>g.waiting?" · order held":"",
        drawOps=v=>{
        let all=v.frame.operations||[],q=$("#opfind").value.trim(),rows=all.filter(o=>finds(q,opName(o),o.method,o.template||""));
        ops.update(rows,q&&all.length?"No operation matches.":v.recorded?"No operation has been called yet.":GONE);
        put($("#ops .count"),!all.length?"":join([(rows.length<all.length?num(rows.length)+" of ":"")+num(all.length),more(v.frame,"operations")])+held(ops))};
        $("#opfind").oninput=()=>{ops.force=true;redraw()};
        let onlyOperation=id=>{
        only=id;
        list.top();
        redraw();
        if(id!==null&&$("#calls").getBoundingClientRect().top>innerHeight-120)$("#calls").scrollIntoView()};
        """#
}
