extension DashboardPage {
    /// Elements, text and numbers.
    static let basics = #"""
        "use strict";
        let{min,max,floor,round}=Math;
        let $=(s,r=document)=>r.querySelector(s),$$=(s,r=document)=>[...r.querySelectorAll(s)],
        attr=(node,name,value)=>{value=String(value);if(node.getAttribute(name)!==value)node.setAttribute(name,value)};
        // el("p.a.b",{hidden:true},"text"): an element with a class, properties or attributes, and children.
        let el=(kind,props,...kids)=>{
        let[tag,...c]=kind.split("."),e=document.createElement(tag);
        if(c.length)e.className=c.join(" ");
        if(tag==="i")attr(e,"aria-hidden",true);
        for(let k in props)if(k in e)e[k]=props[k];else attr(e,k,props[k]);
        e.append(...kids);
        return e};
        let svg=(tag,props)=>{
        let e=document.createElementNS("http://www.w3.org/2000/svg",tag);
        for(let k in props)attr(e,k,props[k]);
        return e};
        // A strip of 1000 by 16 with a path.
        let strip=(host,name="fall")=>{
        let s=svg("svg",{class:name,viewBox:"0 0 1000 16",preserveAspectRatio:"none","aria-hidden":true}),p=svg("path",{});
        s.append(p);
        host.append(s);
        return p};
        let block=(x,w,y=3,h=10)=>`M${round(x)} ${y}h${w=round(w)}v${h}h-${w}z`;
        // Text that is selected stays as it is.
        let selected=null,
        put=(node,text)=>{
        text=String(text);
        if(node._t===text||selected&&selected.containsNode(node,true))return;
        node._t=text;
        let t=node.firstChild;
        if(t&&t.nodeType===3&&!t.nextSibling)t.data=text;else node.textContent=text};
        let cls=(node,name,on)=>node.classList.toggle(name,!!on),
        look=(node,name)=>{if(node._k!==name)node.className=node._k=name};
        // Makes the children of a list as many as its items.
        let fit=(host,items,make,write)=>{
        while(host.children.length>items.length)host.lastChild.remove();
        items.forEach((item,i)=>{
        if(!host.children[i])host.append(make());
        write(host.children[i],item,i)})};
        // One choice of several.
        let choice=(id,name,items,now,f)=>$("#"+id).append(el("legend.vh",{},name),...items.map((text,i)=>el("label",{},el("input",{type:"radio",name:id,checked:i===now,onchange:()=>f(i)}),el("span",{},text)))),
        fix=(n,d)=>n.toFixed(d),
        num=n=>n==null?"–":n>=1e6?fix(n/1e6,1)+" M":n>=1e4?fix(n/1e3,n<1e5?1:0)+" k":n>=1e3?fix(n,0).replace(/...$/,",$&"):n>=100||n%1===0?fix(n,0):fix(n,n<10?1:0),
        ms=d=>d==null?"–":d<.95?fix(d,d?2:0)+" ms":d<9.95?fix(d,1)+" ms":d<999.5?fix(d,0)+" ms":d<59950?fix(d/1e3,d<9995?2:1)+" s":span(d),
        span=d=>{
        let s=floor(d/1e3+.5);
        return s<60?s+" s":s<3600?floor(s/60)+" min"+(s%60&&s<600?" "+s%60+" s":""):s<172800?floor(s/3600)+" h"+(s%3600>59?" "+floor(s%3600/60)+" min":""):floor(s/86400)+" d"};
        let pct=(a,b)=>a==null||!b?"–":!a?"0 %":a/b<.001?"<0.1 %":fix(100*a/b,a/b<.0995?1:0)+" %",
        two=n=>String(n).padStart(2,"0"),
        clock=(t,secs=true)=>{let d=new Date(t);return two(d.getHours())+":"+two(d.getMinutes())+(secs?":"+two(d.getSeconds()):"")},
        sum=a=>a.reduce((x,y)=>x+y,0),
        join=(list,by=", ")=>list.filter(Boolean).join(by),
        plural=(n,one,many=one+"s")=>num(n)+" "+(n===1?one:many),
        words=s=>String(s).replace(/_/g," ");
        // Sizes are told by the browser: to ask for them in a redraw would lay the page out again each time.
        let sized=(node,f)=>new ResizeObserver(([e])=>{f(e.contentRect);redraw()}).observe(node),
        bare=origin=>origin.replace(/^https:\/\//,"");
        // How many more there are than a frame has, by kind if there are several.
        let more=(f,...kinds)=>{
        let text=join(kinds.map(k=>[k,f[k+"_omitted"]]).map(([k,n])=>n&&(kinds[1]?plural(n,"more "+words(k).slice(0,-1)):num(n)+" more")));
        return text&&text+" not shown"};
        // A column of a table with a time.
        let when=(h,f,v)=>({h,v,t:x=>clock(unix(f(x))),w:"6.2em"}),
        cap=s=>s[0].toUpperCase()+s.slice(1);
        """#
}
