extension DashboardPage {
    /// Tables that keep their rows: a redraw changes text, and the order changes only while nobody points at it. Of long
    /// tables only the rows in sight are elements.
    static let grid = #"""
        let ROW=30;
        // Makes an element a region that can be scrolled with the keyboard.
        let region=(host,name)=>{host.tabIndex=0;attr(host,"role","region");attr(host,"aria-label",name)};
        class Grid{
        // A column: h header, t text, v value to sort by, c classes, w width, draw for other contents than text.
        // What `paint` draws is one drawing over the last column: elements in rows would cost a layout each.
        constructor(host,name,cols,opt){
        Object.assign(this,{host,cols,opt,at:opt.at||0,list:[],trs:new Map,free:new Set,sort:opt.sort,cur:null,force:true,y:0,h:0,all:cols.some(c=>c.c==="wrap")});
        region(host,name);
        this.heads=cols.map((c,i)=>{
        let th=el("th",{scope:"col",className:c.c||""},c.v?el("button",{title:c.tip||"",onclick:()=>{
        let s=this.sort;
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
        if(opt.paint)this.art=strip(host,"art o1 "+opt.art).parentNode;
        sized(host,r=>this.h=r.height);
        host.onscroll=()=>{this.y=host.scrollTop;requestAnimationFrame(()=>this.fill())};
        this.body.onmouseenter=()=>this.over=true;
        this.body.onmouseleave=()=>{this.over=false;redraw()};
        this.body.onmouseover=e=>{let c=e.target.closest("th,td");if(c)c.title=c.textContent};
        this.body.addEventListener("focusin",e=>this.cur=opt.key(e.target.closest("tr")._row));
        this.body.onkeydown=e=>this.key(e)}
        // Whether the user is at a row, or has selected text in one: then the order stays.
        get held(){
        let a=document.activeElement;
        return this.list.length>0&&!this.force&&(this.over||this.host.contains(a)&&!this.table.tHead.contains(a)||this.y>0||!!selected&&selected.containsNode(this.body,true))}
        // Back to the first row, in a new order.
        top(){this.force=true;this.host.scrollTop=this.y=0}
        make(){
        for(let tr of this.free)return tr;
        let cells=this.cols.map((c,i)=>el(i?"td":"th",{className:c.c||"",...(i?{}:{scope:"row"})})),t=el("tr",{},...cells);
        t._cells=cells;
        if(this.opt.open){
        t._btn=el("button.go",{tabIndex:-1,onclick:e=>{e.stopPropagation();this.cur=this.opt.key(t._row);this.opt.open(t._row,t._btn)}});
        cells[this.at].append(t._btn);
        t.onclick=()=>{if(getSelection().isCollapsed)t._btn.click()}}
        return t}
        update(rows,empty){
        let{key}=this.opt,held=this.waiting=this.held;
        let list=[...rows];
        if(held){
        let now=new Map(rows.map(r=>[key(r),r]));
        list=this.list.map(r=>now.get(key(r))||r)}
        else if(this.sort){
        let[i,d]=this.sort,{v}=this.cols[i];
        list=rows.map(r=>[v(r),r]).sort(([x],[y])=>x==null?y==null?0:1:y==null?-1:(x<y?-1:x>y?1:0)*d).map(p=>p[1])}
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
        let{list,body,y,h,all,free}=this,{key,mark,paint}=this.opt,old=this.trs,focused=[...old.values()].find(tr=>tr._btn&&tr._btn===document.activeElement);
        let index=list.findIndex(r=>key(r)===this.cur);
        if(index<0)this.cur=list.length?key(list[index=0]):null;
        let first=all?0:max(0,min(floor(y/ROW)-3,list.length-20)),last=all?list.length:floor((y+h)/ROW)+1;
        if(focused){first=min(first,index);last=max(last,index+1)}
        // Rows of one height are told apart by their place: to change their texts costs less than to move them.
        let rows=list.slice(first,last),id=(r,i)=>all?key(r):first+i;
        this.trs=new Map(rows.map((r,i)=>[id(r,i),old.get(id(r,i))]));
        for(let[k,tr]of old)if(!this.trs.has(k))this.free.add(tr);
        // Tab leads to the row that was used last, or to the first in sight.
        let tab=rows[index-first]||rows[0],[above,below]=this.gaps;
        let gap=(tr,n)=>{
        tr.hidden=n<=0;
        tr.firstChild.style.height=max(0,n)*ROW+"px"};
        gap(above,first);
        gap(below,list.length-last);
        // Rows stay where they are in the document as far as possible: to move one is to make it anew.
        let next=above.nextSibling;
        rows.forEach((r,i)=>{
        let k=id(r,i),tr=this.trs.get(k)||(free.has(next)?next:this.make());
        this.trs.set(k,tr);
        free.delete(tr);
        let n=next;
        while(n!==tr&&free.has(n))n=n.nextSibling;
        if(n===tr)next=tr.nextSibling;else body.insertBefore(tr,next);
        tr._row=r;
        attr(tr,"aria-rowindex",first+i+2);
        this.cols.forEach((c,j)=>c.draw?c.draw(tr._cells[j],r):put(j===this.at&&tr._btn||tr._cells[j],c.t(r)));
        if(tr._btn)attr(tr._btn,"tabindex",r===tab?0:-1);
        if(mark)mark(tr,r)});
        for(let tr of free)tr.remove();
        if(focused)this.trs.get(index)?._btn.focus({preventScroll:true});
        if(!paint)return;
        attr(this.art,"viewBox","0 0 1000 "+rows.length*ROW);
        this.art.style.cssText=`top:${(first+1)*ROW}px;height:${rows.length*ROW}px`;
        paint(this.art,rows)}
        key(e){
        let rows=this.list,k=this.opt.key,i=rows.indexOf(e.target.closest("tr")._row),end=rows.length-1;
        let to={ArrowDown:i+1,ArrowUp:i-1,Home:0,End:end,PageDown:min(i+10,end),PageUp:max(i-10,0)}[e.key];
        if(i<0||!rows[to]||!this.opt.open)return;
        e.preventDefault();
        this.focus(k(rows[to]),to)}
        focus(k,index=this.list.findIndex(r=>this.opt.key(r)===k)){
        let{host}=this,y=index*ROW;
        if(index<0)return;
        this.cur=k;
        if(y<this.y||y+2*ROW>this.y+this.h)host.scrollTop=this.y=max(0,y<this.y?y:y+2*ROW-this.h);
        this.fill();
        this.trs.get(index)._btn.focus();
        return 1}
        }
        """#
}
