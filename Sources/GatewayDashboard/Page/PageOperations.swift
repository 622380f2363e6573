extension DashboardPage {
    /// The table of operations.
    static let operations = #"""
        // The figures of an operation in the window: calls, failed, p50, p95, p99.
        const w=o=>o.w&&o.w[win]||[];
        const total=()=>(view.frame.totals||{})[WINDOWS[win]]||{};
        const per=o=>(w(o)[0]||0)/(total().seconds||SECONDS[win]);
        const opKey=o=>o.id||"";
        const opName=o=>o.id==="_OTHER"?"All others":o.id||"Without operation";
        const share=o=>w(o)[0]?w(o)[1]/w(o)[0]:null;
        const drawSpark=(td,o)=>{
        td._p||=strip(td,"spark","0 0 90 20");
        attr(td._p,"d",[...(o.spark||"")].map((ch,i)=>{
        const h=parseInt(ch,36)/35*18;
        return h?block(i*3,2.4,fix(20-max(1.5,h),1),fix(max(1.5,h),1)):""}).join(""))};
        const drawShare=(td,o)=>{
        const s=share(o);
        put(td,pct(w(o)[1],w(o)[0]));
        cls(td,"is-bad",s>=.05);cls(td,"is-warn",s>0&&s<.05)};
        const figure=(h,i,c)=>({h,v:o=>w(o)[i],t:o=>ms(w(o)[i]),c,w:"5.4em"});
        const ops=new Grid($("#ops .list"),"List of operations",[
        {h:"Operation",v:opName,up:1,t:opName},
        {h:"Request",t:o=>o.template?o.method+" "+o.template:"",c:"o3 mut"},
        {h:"Calls/s",v:per,t:o=>num(per(o)),c:"n",w:"5.8em"},
        {h:"Failed",v:share,draw:drawShare,c:"n",w:"5em"},
        figure("p50",2,"n o1"),figure("p95",3,"n"),figure("p99",4,"n o1"),
        {h:"Now",v:o=>o.in_progress||0,t:o=>o.in_progress||"",c:"n o3",w:"3.6em",tip:"Calls in progress"},
        {h:"Ten minutes",draw:drawSpark,c:"o1",w:"106px"}],
        {key:opKey,sort:[2,-1],open:o=>onlyOperation(only===opKey(o)?null:opKey(o)),mark:(tr,o)=>{
        cls(tr,"sel",only===opKey(o));
        attr(tr._btn,"aria-pressed",only===opKey(o));
        tr._btn.title=opName(o)}});
        const finds=(query,...texts)=>query.toLowerCase().split(/\s+/).every(q=>texts.join(" ").toLowerCase().includes(q));
        const GONE="Not recorded by this page at that time.";
        const held=g=>g.waiting?" · order held":"";
        const drawOps=v=>{
        const all=v.frame.operations||[],q=$("#opfind").value.trim(),rows=all.filter(o=>finds(q,opName(o),o.method,o.template||""));
        ops.update(rows,q&&all.length?"No operation matches.":v.recorded?"No operation has been called yet.":GONE);
        put($("#ops .count"),!all.length?"":join([(rows.length<all.length?num(rows.length)+" of ":"")+num(all.length),more(v.frame,"operations")])+held(ops))};
        $("#opfind").oninput=()=>{ops.force=true;redraw()};
        const onlyOperation=id=>{
        only=id;
        list.top();
        redraw();
        if(id!==null&&$("#calls").getBoundingClientRect().top>innerHeight-120)$("#calls").scrollIntoView()};
        """#
}
