extension DashboardPage {
    /// A plot on a canvas: its size, colors, the axis of time, and the time that the pointer is at.
    static let canvas = #"""
        let colors={};
        let readColors=()=>{
        let s=getComputedStyle(document.documentElement);
        colors=new Proxy({},{get:(t,n)=>t[n]??=s.getPropertyValue("--"+n).trim()})};
        let rgb=h=>[1,3,5].map(i=>parseInt(h.slice(i,i+2),16));
        let FONT="12px "+getComputedStyle(document.body).fontFamily;
        let niceMax=v=>{
        if(!(v>0))return 1;
        let p=10**floor(Math.log10(v)),m=v/p;
        return[1,2,2.5,4,5,6,8,10].find(n=>m<=n+1e-9)*p};
        class Plot{
        constructor(canvas,left,right,top=14){
        Object.assign(this,{canvas,left,right,top,bottom:22,w:0,h:0,g:canvas.getContext("2d")});
        sized(canvas,r=>{this.w=r.width;this.h=r.height});
        new IntersectionObserver(([e])=>{this.seen=e.isIntersecting;redraw()}).observe(canvas);
        let time=e=>{
        let f=(e.clientX-canvas.getBoundingClientRect().left-left)/(this.w-left-right);
        return f<0||f>1||!view?null:round((this.start+f*SPAN)/2000)*2000};
        canvas.onpointermove=e=>{hover=time(e);redraw()};
        canvas.onpointerleave=()=>{hover=null;redraw()};
        canvas.onclick=e=>{let t=time(e);if(t!==null)go(t)}}
        // Clears the canvas; false if it is out of sight. Canvases are drawn before elements are changed: text on a canvas
        // makes the browser lay out what has changed.
        begin(){
        if(!this.seen)return;
        let{canvas:c,w,h,g}=this,d=devicePixelRatio||1;
        this.end=floor(view.now/2000)*2000;
        this.start=this.end-SPAN;
        // To set the font makes the browser compute styles: it is kept until the size changes.
        if(c.width!==round(w*d)||c.height!==round(h*d)){c.width=round(w*d);c.height=round(h*d);g.font=FONT;g.textBaseline="middle"}
        Object.assign(this,{d,iw:w-this.left-this.right,ih:h-this.top-this.bottom,base:h-this.bottom});
        g.setTransform(d,0,0,d,0,0);
        g.clearRect(0,0,w,h);
        return this.iw>20&&h>0}
        x(t){return round((this.left+min(1,max(0,(t-this.start)/SPAN))*this.iw)*this.d)/this.d}
        text(s,x,y,align,color=colors.mut){
        let g=this.g;
        g.textAlign=align;g.fillStyle=color;g.fillText(s,x,y)}
        box(x,y,w,h,color){this.g.fillStyle=color;this.g.fillRect(x,y,w,h)}
        drop(x,y,color){
        let g=this.g;
        g.fillStyle=color;g.beginPath();g.moveTo(x-5,y-8);g.lineTo(x+5,y-8);g.lineTo(x,y);g.fill()}
        // The times below, each so many minutes that the labels have room.
        times(){
        let{base,end,start,left,right,w}=this,room=this.iw/10,step=(room>=54?1:room>=24?2:5)*60000,u0=unix(0);
        this.box(left,base,w-left-right,1,colors.line);
        for(let u=Math.ceil((u0+start)/step)*step;u<=u0+end;u+=step){
        let x=this.x(u-u0);
        this.box(x,base,1,5,colors.line);
        if(x>left+10&&x<w-right-10)this.text(clock(u,false),min(w-17,max(17,x)),base+14,"center")}}
        // The time that is shown, the one pointed at, and what is later than that.
        cursor(){
        let{top,base,w,right}=this,g=this.g;
        if(at!==null){
        let x=this.x(at);
        g.globalAlpha=.72;this.box(x,top,w-right-x,base-top,colors.card);g.globalAlpha=1;
        this.box(x-1,top-6,2,base-top+6,colors.acc)}
        if(hover!==null)this.box(this.x(hover),top,1,base-top,colors.mut)}
        }
        // The column of the time pointed at or shown, else the newest complete one.
        let pointed=()=>floor(min(hover??at??view.now-2000,view.now)/2000);
        // A legend of [name, class of the key, text].
        let legend=(host,items)=>fit(host,items,()=>el("li",{},el("i"),el("span"),el("b")),(li,[name,key,text=""])=>{
        let[k,n,b]=li.children;
        look(k,key);put(n,name);put(b,text&&" "+text);
        li.hidden=!name});
        let entitle=(p,what,more="")=>attr(p.canvas,"aria-label",what+" in the last ten minutes"+more+". The button Table shows the figures.");
        // A button that shows a table in place of a canvas.
        let tabled=(id,cols,key)=>{
        let card=$("#"+id),h=$("h2",card),data=el("div.list",{hidden:true}),grid=new Grid(data,h.textContent+", table",cols,{key}),b=el("button",{"aria-expanded":false,onclick:()=>{
        data.hidden=!data.hidden;
        $(".plot",card).hidden=!data.hidden;
        attr(b,"aria-expanded",!data.hidden);
        redraw()}},"Table");
        attr(b,"aria-label","Table of "+h.textContent.toLowerCase());
        h.parentNode.append(b);
        card.append(data);
        return grid};
        """#
}
