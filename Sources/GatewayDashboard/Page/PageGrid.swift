extension DashboardPage {
    /// Tables that keep their rows: a redraw changes text, and rows move only while nobody points at them.
    static let grid = #"""
        const ROW=30;
        // Makes an element a region that can be scrolled with the keyboard.
        const region=(host,name)=>{host.tabIndex=0;attr(host,"role","region");attr(host,"aria-label",name)};
        class Grid{
        // A column: h header, t text, v value to sort by, c classes, w width, draw for other contents than text.
        constructor(host,name,cols,opt){
        Object.assign(this,{host,cols,opt,at:opt.at||0,list:[],trs:new Map,free:[],tick:0,sort:opt.sort,cur:null,force:true});
        region(host,name);
        this.heads=cols.map((c,i)=>{
        const th=el("th",{scope:"col",className:c.c||""},c.v?el("button",{title:c.tip||"",onclick:()=>{
        const s=this.sort;
        this.sort=s&&s[0]===i?[i,-s[1]]:[i,c.up?1:-1];
        this.force=true;redraw()}},c.h):c.h);
        if(c.w)th.style.width=c.w;
        return th});
        this.body=el("tbody");
        this.none=el("p.empty");
        this.table=el("table",{hidden:true},el("caption.vh",{},name),el("thead",{},el("tr",{},...this.heads)),this.body);
        host.append(this.table,this.none);
        host.addEventListener("scroll",()=>requestAnimationFrame(()=>this.fill()),{passive:true});
        this.body.addEventListener("mouseleave",()=>redraw());
        this.body.addEventListener("keydown",e=>this.key(e))}
        // Whether the user is at a row: then the order stays.
        get held(){
        const a=document.activeElement;
        return this.list.length>1&&!this.force&&(this.body.matches(":hover")||this.host.contains(a)&&!this.table.tHead.contains(a)||this.host.scrollTop>0)}
        make(){
        const tr=this.free.pop();
        if(tr)return tr;
        const cells=this.cols.map((c,i)=>el(i?"td":"th",{className:c.c||"",...(i?{}:{scope:"row"})})),t=el("tr",{},...cells);
        t._cells=cells;
        if(this.opt.open){
        t._btn=el("button.go",{tabIndex:-1,onclick:e=>{e.stopPropagation();this.cur=this.opt.key(t._row);this.opt.open(t._row,t._btn)}});
        cells[this.at].append(t._btn);
        t.addEventListener("click",()=>{if(getSelection().isCollapsed)t._btn.click()})}
        return t}
        update(rows,empty){
        const{key}=this.opt,b=this.body,held=this.waiting=this.held;
        let list=[...rows];
        if(held){
        const now=new Map(rows.map(r=>[key(r),r]));
        list=this.list.map(r=>now.get(key(r))||r)}
        else if(this.sort){
        const[i,d]=this.sort,val=new Map(list.map(r=>[r,this.cols[i].v(r)]));
        list.sort((a,b)=>{
        const x=val.get(a),y=val.get(b);
        return x==null?y==null?0:1:y==null?-1:(x<y?-1:x>y?1:0)*d})}
        this.force=false;
        this.list=list;
        const keep=new Set(list.map(key));
        for(const[k,tr]of this.trs)if(!keep.has(k)){this.trs.delete(k);this.free.push(tr)}
        let next=null;
        for(const r of[...list].reverse()){
        let tr=this.trs.get(key(r));
        if(!tr){tr=this.make();tr._new=true;this.trs.set(key(r),tr)}
        tr._row=r;
        if(tr.parentNode!==b||tr.nextSibling!==next)b.insertBefore(tr,next);
        next=tr}
        while(b.firstChild!==next)b.firstChild.remove();
        this.heads.forEach((th,i)=>{
        if(this.sort&&this.sort[0]===i)attr(th,"aria-sort",this.sort[1]>0?"ascending":"descending");else th.removeAttribute("aria-sort")});
        put(this.none,empty);
        this.none.hidden=list.length>0;
        this.table.hidden=!list.length;
        this.tick++;
        this.fill()}
        // Rows out of sight are written each fifth time.
        fill(){
        const{host,list,opt}=this,first=host.scrollTop/ROW-4,last=first+host.clientHeight/ROW+8;
        if(!list.some(r=>opt.key(r)===this.cur))this.cur=list.length?opt.key(list[0]):null;
        list.forEach((r,i)=>{
        const tr=this.trs.get(opt.key(r));
        if(!tr._new&&(i<first||i>last)&&(i+this.tick)%5)return;
        tr._new=false;
        this.cols.forEach((c,j)=>c.draw?c.draw(tr._cells[j],r):put(j===this.at&&tr._btn||tr._cells[j],c.t(r)));
        if(tr._btn)tr._btn.tabIndex=opt.key(r)===this.cur?0:-1;
        if(opt.mark)opt.mark(tr,r)})}
        key(e){
        const rows=this.list,i=rows.findIndex(r=>this.trs.get(this.opt.key(r)).contains(e.target)),end=rows.length-1;
        const to={ArrowDown:i+1,ArrowUp:i-1,Home:0,End:end,PageDown:min(i+10,end),PageUp:max(i-10,0)}[e.key];
        if(i<0||!rows[to]||!this.opt.open)return;
        e.preventDefault();
        this.focus(this.opt.key(rows[to]))}
        focus(k){
        const tr=this.trs.get(k);
        if(!tr)return;
        this.cur=k;
        this.fill();
        tr._btn.focus()}
        }
        """#
}
