extension DashboardPage {
    /// The panel with all that is known of one call.
    static let detail = #"""
        let opened=null,opener=null;
        let SIDE={here:"Here: this machine, configuration or request",network:"The network between us and the server",token:"The token",upstream:"Upstream: the server",caller:"The caller cancelled it"};
        let panel=$("#detail"),copy=$("#copy");
        // On a narrow page the panel covers all else, which then cannot get the focus.
        let narrow=matchMedia("(max-width:1099px)"),cover=()=>{for(let n of[$("header"),$("main")])n.inert=!!opened&&narrow.matches};
        narrow.onchange=cover;
        let openCall=(c,button)=>{
        let was=opened;
        opened=c;
        panel.hidden=!c;
        cls(document.body,"split",c);
        cover();
        if(button)opener=button;
        if(c){
        drawDetail(c);
        panel.scrollTop=0;
        $("#d-title").focus({preventScroll:true})}
        else if(was&&!(list.host.contains(opener)&&list.focus(was.id)))(opener&&opener.isConnected?opener:$("#kind input")).focus();
        redraw()};
        // How the call ended, in a sentence or two.
        let why=c=>{
        let refused=(c.steps||[]).filter(s=>s.k==="not_retried").pop(),tries=c.attempts>1?" after "+c.attempts+" attempts":"";
        return({open:()=>"In progress for "+ms(c.ms),cancelled:()=>"Cancelled by its caller after "+ms(c.ms),
        succeeded:()=>c.leader?"Succeeded with the response of another call":"Succeeded"+(c.status?" with status "+c.status:"")+tries,
        error_response:()=>"Failed with status "+c.status+tries}[c.outcome]||(()=>"Failed: "+words(c.error||"error")+(c.phase?" in the phase "+words(c.phase):"")+(c.cause?", because of "+words(c.cause):"")+(c.status?", status "+c.status:"")+(c.server_error?", "+c.server_error:"")+(c.failed_origin&&c.failed_origin!==c.origin?" at "+c.failed_origin:"")+tries))()+"."+(refused?" "+refusal(refused)+".":"")+(c.hint?" "+c.hint:"")};
        let callLink=id=>{
        let c=findCall(id);
        return c?el("button.go",{onclick:()=>openCall(c)},callName(c)+", "+clock(unix(begun(c)))+", "+ms(c.ms)):el("span.mut",{},"Call "+id)};
        // A list of names and values: [name, value, whether it is bad].
        let facts=(host,pairs)=>fit(host,pairs.filter(p=>p[1]),()=>el("div",{},el("dt"),el("dd")),(row,[k,value,bad])=>{
        put(row.firstChild,k);put(row.lastChild,value);cls(row.lastChild,"is-bad",bad)});
        let drawDetail=c=>{
        put($("#d-title"),callName(c));
        put($("#d-why"),why(c));
        cls($("#d-why"),"is-bad",badCall(c));
        facts($(".facts",panel),[["Request",c.method+" "+(c.template||"(template unknown)")],["Origin",c.origin],["Began",clock(unix(begun(c)))],["Took",ms(c.ms)],["Sent",c.attempts?plural(c.attempts,"time"):"not sent"],["Responsible",c.side&&(SIDE[c.side]||c.side)],["Trace",c.trace],["Call",c.id]]);
        drawTimeline($(".body",panel),c);
        let ids=c.joined_by||[],rest=c.callers-1-ids.length;
        $("#d-shared").replaceChildren(...(c.leader?[el("h3",{},"Shares the exchange of"),callLink(c.leader)]:c.callers>1?[el("h3",{},c.callers+" callers on one exchange"),el("p.mut",{},"This call sent the request. Its response was also given to:"),el("ul",{},...ids.map(id=>el("li",{},callLink(id))),rest>0?el("li.mut",{},num(rest)+" more"):"")]:[]));
        put($("pre",panel),c.curl||"Not known.");
        copy.disabled=!c.curl;
        put(copy,"Copy as curl")};
        // A call in progress is followed until its end, and one that has ended if it comes again.
        let followCall=()=>{
        let c=opened&&findCall(opened.id);
        if(c&&c!==opened)drawDetail(opened=c)};
        let copyCurl=async()=>{
        let text="Copied";
        try{await navigator.clipboard.writeText(opened.curl)}catch{
        getSelection().selectAllChildren($("pre",panel));
        try{if(!document.execCommand("copy"))throw 0}catch{text="Selected: copy it with the keyboard"}}
        put(copy,text);
        setTimeout(()=>put(copy,"Copy as curl"),3000)};
        copy.onclick=copyCurl;
        $(".head button",panel).onclick=()=>openCall(null);
        """#
}
