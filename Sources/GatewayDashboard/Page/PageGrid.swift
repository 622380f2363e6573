extension DashboardPage {
    /// Tables that keep their rows: a redraw changes text, and rows move only while nobody points at them. Of long tables
    /// only the rows in sight are elements.
    static let grid = #"""
        const ROW=30;
        // Makes an element a region that can be scrolled with the keyboard.
        const region=(host,name)=>{host.tabIndex=0;attr(host,"role","region");attr(host,"aria-label",name)};
        class Grid{
        // A column: h header, t text, v value to sort by, c classes, w width, draw for other contents than text.
        constructor(host,name,cols,opt){
        Object.assign(this,{host,cols,opt,at:opt.at||0,list:[],trs:new Map,free:new Set,sort:opt.sort,cur:null,force:true,y:0,h:0,all:cols.some(c=>c.c==="wrap")});
        region(host,name);
        this.heads=cols.map((c,i)=>{
        const th=el("th",{scope:"col",className:c.c||""},c.v?el("button",{title:c.tip||"",onclick:()=>{
        const s=this.sort;
        this.sort=s&&s[0]===i?[i,-s[1]]:[i,c.up?1:-1];
        this.force=true;redraw()}},c.h):c.h);
        if(c.w)th.style.width=c.w;
        return th});
        this.body=el("tbody");
        this.gaps=[0,1].map(()=>el("tr.gap",{"aria-hidden":true},el("td")));
        this.none=el("p.empty");
        this.table=el("table",{hidden:true},el("caption.vh",{},name),el("thead",{},el("tr",{},...this.heads)),this.body);
        this.body.append(...this.gaps);
        host.append(this.table,this.none);
        sized(host,r=>this.h=r.height);
        host.onscroll=()=>{this.y=host.scrollTop;requestAnimationFrame(()=>this.fill())};
        this.body.onmouseenter=()=>this.over=true;
        this.body.onmouseleave=()=>{this.over=false;redraw()};
        this.body.onkeydown=e=>this.key(e)}
        // Whether the user is at a row: then the order stays.
        get held(){
        const a=document.activeElement;
        return this.list.length>1&&!this.force&&(this.over||this.host.contains(a)&&!this.table.tHead.contains(a)||this.y>0)}
        // Back to the first row, in a new order.
        top(){this.force=true;this.host.scrollTop=this.y=0}
        make(){
        for(const tr of this.free)return tr;
        const cells=this.cols.map((c,i)=>el(i?"td":"th",{className:c.c||"",...(i?{}:{scope:"row"})})),t=el("tr",{},...cells);
        t._cells=cells;
        if(this.opt.open){
        t._btn=el("button.go",{tabIndex:-1,onclick:e=>{e.stopPropagation();this.cur=this.opt.key(t._row);this.opt.open(t._row,t._btn)}});
        cells[this.at].append(t._btn);
        t.onclick=()=>{if(getSelection().isCollapsed)t._btn.click()}}
        return t}
        update(rows,empty){
        const{key}=this.opt,held=this.waiting=this.held;
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
        this.heads.forEach((th,i)=>{
        if(this.sort&&this.sort[0]===i)attr(th,"aria-sort",this.sort[1]>0?"ascending":"descending");else th.removeAttribute("aria-sort")});
        put(this.none,empty);
        this.none.hidden=list.length>0;
        this.table.hidden=!list.length;
        attr(this.table,"aria-rowcount",list.length+1);
        this.fill()}
        // Writes the rows in sight, and the one with the focus.
        fill(){
        const{list,body,y,h}=this,{key,mark}=this.opt,old=this.trs;
        let index=list.findIndex(r=>key(r)===this.cur);
        if(index<0)this.cur=list.length?key(list[index=0]):null;
        let first=this.all?0:max(0,min(floor(y/ROW)-3,list.length-20)),last=this.all?list.length:floor((y+h)/ROW)+2;
        const focused=old.get(this.cur);
        if(focused&&focused.contains(document.activeElement)){first=min(first,index);last=max(last,index+1)}
        const rows=list.slice(first,last);
        this.trs=new Map(rows.map(r=>[key(r),old.get(key(r))]));
        for(const[k,tr]of old)if(!this.trs.has(k))this.free.add(tr);
        // Tab leads to the row that was used last, or to the first in sight.
        const tab=this.trs.has(this.cur)?this.cur:rows.length&&key(rows[0]),[above,below]=this.gaps,{free}=this;
        const gap=(tr,n)=>{
        tr.hidden=n<=0;
        tr.firstChild.style.height=max(0,n)*ROW+"px"};
        gap(above,first);
        gap(below,list.length-last);
        // Rows stay where they are in the document as far as possible: to move one is to make it anew.
        let next=above.nextSibling;
        rows.forEach((r,i)=>{
        const k=key(r),tr=this.trs.get(k)||(free.has(next)?next:this.make());
        this.trs.set(k,tr);
        free.delete(tr);
        let n=next;
        while(n!==tr&&free.has(n))n=n.nextSibling;
        if(n===tr)next=tr.nextSibling;else body.insertBefore(tr,next);
        tr._row=r;
        attr(tr,"aria-rowindex",first+i+2);
        this.cols.forEach((c,j)=>c.draw?c.draw(tr._cells[j],r):put(j===this.at&&tr._btn||tr._cells[j],c.t(r)));
        if(tr._btn)tr._btn.tabIndex=k===tab?0:-1;
        if(mark)mark(tr,r)});
        for(const tr of free)tr.remove()}
        key(e){
        const rows=this.list,k=this.opt.key,i=rows.findIndex(r=>this.trs.get(k(r))?.contains(e.target)),end=rows.length-1;
        const to={ArrowDown:i+1,ArrowUp:i-1,Home:0,End:end,PageDown:min(i+10,end),PageUp:max(i-10,0)}[e.key];
        if(i<0||!rows[to]||!this.opt.open)return;
        e.preventDefault();
        this.focus(k(rows[to]),to)}
        focus(k,index=this.list.findIndex(r=>this.opt.key(r)===k)){
        const{host}=this,y=index*ROW;
        if(index<0)return;
        this.cur=k;
        if(y<this.y||y+2*ROW>this.y+this.h)host.scrollTop=this.y=max(0,y<this.y?y:y+2*ROW-this.h);
        this.fill();
        this.trs.get(k)._btn.focus()}
        }
        """#
}
