extension DashboardPage {
    /// The rate of calls by outcome, and the heat map of durations with percentiles.
    static let charts = #"""
        let OUT=[["succeeded",2,"c0"],["cancelled",5,"c4"],["error response",3,"c2"],["no response",4,"c3"]];
        let rates=new Plot($("#rates canvas"),54,32),heat=new Plot($("#heat canvas"),54,32);
        let most=0;
        let pixels=el("canvas",{width:300,height:17});
        let rate=(c,i)=>c?c[i]/2:0;
        // The columns of a plot with their positions from 0 to 299.
        let each=(p,f)=>{
        let k0=p.end/2000-300;
        for(let j=0;j<300;j++)f(view.cols.get(k0+j),j)};
        let pointedTime=()=>[hover!==null||at!==null?clock(unix(pointed()*2000)):"",""];
        let drawRates=v=>{
        most=max(0,...[...v.cols.values()].map(c=>(c[2]+c[3]+c[4]+c[5])/2));
        let p=rates,{g}=p,tell=()=>{
        let c=v.cols.get(pointed());
        legend($("#rates .legend"),[pointedTime(),...OUT.map(([n,i,key])=>[n,"key "+key,num(rate(c,i))+"/s"])]);
        $("#rates .empty").hidden=most>0;
        entitle(p,"Calls per second",", "+num(most)+" at most")};
        if(!p.begin())return tell;
        let{base}=p,top=niceMax(most*1.05),y=n=>base-n/top*p.ih;
        for(let f of most?[0,.25,.5,.75,1]:[]){
        let h=round(y(top*f));
        if(f)p.box(p.left,h,p.w-p.left-p.right,1,colors.soft);
        if(top>=4||f%.5===0)p.text(num(top*f),p.left-7,h,"right")}
        let from=new Float64Array(300);
        for(let[,i,key]of OUT){
        g.fillStyle=colors[key];
        each(p,(c,j)=>{
        if(!c||!c[i])return;
        // One failure among thousands is still seen.
        let x=p.x(p.start+j*2000),h=max(rate(c,i)/top*p.ih,i===3||i===4?2:0);
        g.fillRect(x,base-from[j]-h,p.x(p.start+j*2000+2000)-x,h);
        from[j]+=h})}
        p.times();
        // What changed, as triangles above the chart.
        for(let l of v.frame.log||[])if(l.t>p.start&&(l.severity==="warning"||l.severity==="critical"))p.drop(p.x(l.t),p.top-3,l.severity==="critical"?colors.bad:colors.warn);
        p.cursor();
        return tell};
        let LINES=[["p50",7,[],2],["p95",8,[6,3],1.5],["p99",9,[1.5,2.5],1.25]];
        let drawHeat=v=>{
        let p=heat,{g}=p,bounds=v.hello.heat_bounds_ms,N=bounds.length+1,tell=()=>{
        let c=v.cols.get(pointed());
        legend($("#heat .legend"),[pointedTime(),...LINES.map(([n,i])=>[n,"dash "+n,c?ms(c[i]):"–"]),["few to many calls","ramp"]]);
        $("#heat .empty").hidden=most>0;
        entitle(p,"Durations of calls",", with p50, p95 and p99")};
        if(!p.begin())return tell;
        let{base}=p;
        let full=1,lo=N,hi=-1;
        for(let c of v.cols.values())c[10].forEach((n,i)=>{if(n){full=max(full,n);lo=min(lo,i);hi=max(hi,i)}});
        if(hi<0){lo=1;hi=12}
        while(hi-lo<8){if(lo>0)lo--;if(hi<N-1)hi++}
        let rows=hi-lo+1,rowH=p.ih/rows,a=rgb(colors.h0),b=rgb(colors.h1),px=pixels.getContext("2d"),img=px.createImageData(300,N),data=new Uint32Array(img.data.buffer);
        let ramp=Array.from({length:65},(_,i)=>{let m=j=>round(a[j]+(b[j]-a[j])*i/64);return 0xff000000|m(2)<<16|m(1)<<8|m(0)});
        each(p,(c,j)=>{if(c)c[10].forEach((n,i)=>{if(n)data[(N-1-i)*300+j]=ramp[round(64*Math.log1p(n-1)/Math.log1p(full))]})});
        px.putImageData(img,0,0);
        g.imageSmoothingEnabled=false;
        g.drawImage(pixels,0,N-1-hi,300,rows,p.left,p.top,p.iw,p.ih);
        // A label at the decades, or at each bound where they have room.
        for(let i=lo;i<=hi&&i<N-1;i++){
        let y=round(base-(i-lo+1)*rowH),decade=/^10*$/.test(bounds[i]);
        if(decade)p.box(p.left,y,p.iw,1,colors.line);
        if(rowH>=20||decade)p.text(bounds[i]<1e3?bounds[i]+" ms":bounds[i]/1e3+" s",p.left-7,y,"right")}
        let y=d=>{
        let i=bounds.findIndex(b=>d<=b);
        if(i<0)i=N-1;
        let low=bounds[i-1]||bounds[0]/2,up=bounds[i]||low*2;
        return max(p.top,base-(i-lo+min(1,max(0,Math.log(d/low)/Math.log(up/low))))*rowH)};
        let ends=[];
        g.lineJoin="round";
        for(let[name,i,dash,width]of LINES){
        let last=null;
        g.beginPath();
        each(p,(c,j)=>{
        if(!c||c[i]==null){last=null;return}
        let x=p.x(p.start+j*2000+1000),h=y(c[i]);
        if(last===null)g.moveTo(x,h);else g.lineTo(x,h);
        last=h});
        g.strokeStyle=colors.card;g.lineWidth=width+2;g.globalAlpha=.7;g.stroke();
        g.strokeStyle=colors.p0;g.lineWidth=width;g.globalAlpha=1;g.setLineDash(dash);g.stroke();g.setLineDash([]);
        if(last!==null)ends.push([name,last])}
        // Names at the right end, one above the other.
        let room=base+6;
        for(let[name,h]of ends.sort((a,b)=>b[1]-a[1])){
        room=min(h,room-13);
        p.text(name,p.w-p.right+5,room,"left",colors.text)}
        p.times();
        p.cursor();
        return tell};
        let time=when("Time",c=>c[0]*2000);
        let tables=[
        tabled("rates",[time,...OUT.map(([n,i])=>({h:cap(n)+"/s",t:c=>num(rate(c,i)),c:"n"}))],c=>c[0]),
        tabled("heat",[time,{h:"Calls",t:c=>num(sum(c[10])),c:"n"},...LINES.map(([h,i])=>({h,t:c=>ms(c[i]),c:"n"}))],c=>c[0])];
        let drawTables=v=>{
        for(let t of tables)if(!t.host.hidden)t.update([...v.cols.values()].filter(c=>c[0]<floor(v.end/2000)).sort((a,b)=>b[0]-a[0]),"No call has ended in the last ten minutes.")};
        """#
}
