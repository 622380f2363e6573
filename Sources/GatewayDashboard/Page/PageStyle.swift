extension DashboardPage {
    /// The style of the page, for light and dark. Colors of text have a contrast of at least 4.5, those of marks 3.
    static let style = #"""
        :root{color-scheme:light;--bg:#f3f5f8;--card:#fff;--line:#d3dae2;--soft:#edf0f4;--text:#18212b;--mut:#536070;--acc:#0b57a4;--ok:#1a7544;--warn:#855500;--bad:#b3261e;--okbg:#eef8f2;--warnbg:#fdf5e3;--badbg:#fdefed;--c0:#3f86c6;--c1:#b27c00;--c2:#d9480f;--c3:#a3195b;--c4:#7c8896;--g0:#6c55b8;--g1:#16889a;--g2:var(--ok);--h0:#d3e3f3;--h1:#0d4a86;--p0:#18212b}
        .dark{color-scheme:dark;--bg:#0d1218;--card:#151b23;--line:#2e3844;--soft:#202934;--text:#e6ebf1;--mut:#a1aebc;--acc:#7ab8ff;--ok:#62cf90;--warn:#efbf5f;--bad:#ff9086;--okbg:#11231a;--warnbg:#271f10;--badbg:#301918;--c0:#4f9ce0;--c1:#d3a02a;--c2:#ff7d3b;--c3:#f06ba5;--c4:#8a96a4;--g0:#a48cf0;--g1:#3fbfd2;--h0:#1b3452;--h1:#7db8f5;--p0:#fff}
        *{box-sizing:border-box}
        [hidden]{display:none!important}
        body{margin:0;background:var(--bg);color:var(--text);font:.875rem/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
        h1,h2,h3,p,ul,dl,dd,fieldset,pre{margin:0;padding:0;border:0}
        h1{font-size:1.0625rem}h2{font-size:.9375rem}h3{font-size:.875rem}
        ul{list-style:none}
        small,.legend,.count,dt,thead,.lane .mut,#side .mut,#tiles .sub,.timeline .n{font-size:.8125rem}
        .mut,.count,.legend,dt,.sub,small,.empty,#link{color:var(--mut)}
        .is-bad{color:var(--bad)!important}.is-warn{color:var(--warn)!important}
        .vh{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
        .skip{position:fixed;left:8px;top:-60px;z-index:9;background:var(--card);color:var(--acc);padding:8px 12px;border-radius:6px}
        .skip:focus{top:8px}
        :focus-visible,.seg :focus-visible+span{outline:2px solid var(--acc);outline-offset:2px}
        button,[type=search],.seg span{font:inherit;color:var(--text);background:var(--card);border:1px solid var(--line);border-radius:6px;min-height:28px;padding:2px 10px}
        button{cursor:pointer}
        button:hover:enabled,.seg label:hover span{border-color:var(--acc)}
        button:disabled{color:var(--mut);cursor:default}
        [aria-pressed=true],[aria-expanded=true]{border-color:var(--acc);color:var(--acc)}
        [type=search]{width:11em}
        ::placeholder{color:var(--mut);opacity:1}
        .go{border:0;background:none;color:var(--acc);padding:0 2px;margin:0 -2px;text-decoration:underline;text-underline-offset:3px;min-height:24px;text-align:left;border-radius:3px}
        .seg,.tools,.head,.legend,#link,#time,header{display:flex;flex-wrap:wrap;align-items:center;gap:6px 12px}
        .seg{gap:0;flex-wrap:nowrap}
        .seg label{position:relative}
        .seg input{position:absolute;opacity:0;margin:0;width:100%;height:100%;cursor:pointer}
        .seg span{display:block;border-radius:0;margin-left:-1px;line-height:22px}
        .seg legend+label span{border-radius:6px 0 0 6px}
        .seg label:last-child span{border-radius:0 6px 6px 0}
        .seg :checked+span{background:var(--acc);border-color:var(--acc);color:var(--card)}
        header{padding:8px 20px;background:var(--card);border-bottom:1px solid var(--line)}
        .past header{box-shadow:inset 0 3px var(--acc)}
        .tools,.head>h2+button,.head>h3+button,.head>input,.head>strong{margin-left:auto}
        #link{gap:6px}
        #link i,.dot{flex:none;display:inline-block;width:8px;height:8px;border-radius:50%}
        #link{--k:var(--ok)}
        .past #link{--k:var(--acc)}.past #link i{border-radius:1px}
        .lost #link{--k:var(--bad);color:var(--bad)}
        main,#tiles{--n:1;display:grid;grid-template-columns:repeat(var(--n),minmax(0,1fr));gap:12px}
        main{padding:12px 20px 32px;max-width:1800px;margin:auto}
        section,#tiles div{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:10px 16px 14px;min-width:0}
        section,.lane{scroll-margin-top:60px}
        section{content-visibility:auto;contain-intrinsic-size:auto 300px}
        .head{margin-bottom:6px;min-height:32px}
        .head>*{flex-shrink:0;max-width:100%}
        .head>.count{flex:1 1 6em;line-height:1.2}#calls .count{flex-basis:12em}
        #d-title{flex:1 1 0}
        .legend{gap:2px 16px;margin-bottom:6px}
        .legend b{color:var(--text);font-weight:600}
        .legend i{display:inline-block;margin-right:6px}
        .key{width:10px;height:10px;border-radius:2px;vertical-align:-1px}
        .dash{width:18px;border-top:2px solid var(--p0);vertical-align:4px}.p95{border-top-style:dashed}.p99{border-top-style:dotted}
        .ramp{width:44px;height:10px;vertical-align:-1px;background:linear-gradient(90deg,var(--h0),var(--h1))}
        .c0{--k:var(--c0)}.c1{--k:var(--c1)}.c2{--k:var(--c2)}.c3{--k:var(--c3)}.c4,.none{--k:var(--c4)}.g0{--k:var(--g0)}.g1{--k:var(--g1)}.g2,.ok{--k:var(--ok)}.g3,.bad{--k:var(--bad)}.warn{--k:var(--warn)}.fg{--k:var(--text)}
        .key,.dot,#mark,#link i,path{background:var(--k);fill:var(--k)}
        #now{content-visibility:visible;display:flex;align-items:center;gap:12px;padding:10px 16px}
        #now div{flex:1;min-width:0;display:grid;align-content:center;gap:0 32px;min-height:7em}
        #more{display:none}.all #more{display:block}
        #more li{display:flex;align-items:center}
        #now.ok{border-color:var(--ok);background:var(--okbg)}#now.warn{border-color:var(--warn);background:var(--warnbg)}#now.bad{border-color:var(--bad);background:var(--badbg)}
        #mark{flex:none;width:26px;height:26px;border-radius:50%;display:grid;place-items:center;font-weight:700;line-height:1;color:var(--card)}
        .none>#mark,[class=""]>#mark{background:var(--mut)}
        #sentence{font-size:1.0625rem;font-weight:600}
        #cause{display:flex;flex-wrap:wrap;gap:0 16px;align-items:center}
        #tiles{--n:2}
        #tiles div{padding:8px 14px}
        #tiles dd{font-size:1.375rem;line-height:1.35;font-weight:600}
        #tiles .sub{font-weight:400}
        #tiles .sub,#more span,th,td,th>.go,td>.go{white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
        #tiles .go{min-width:24px;font-weight:inherit;color:var(--text);text-decoration:underline 1px var(--c4)}
        #tiles small{font-weight:400}
        .plot{position:relative}
        canvas{display:block;width:100%;height:210px;cursor:crosshair}
        .empty{padding:12px 0}
        canvas+.empty{position:absolute;inset:0;display:grid;place-items:center;pointer-events:none;text-align:center}
        #time{padding:7px 16px}
        #back{flex:1 1 200px;height:24px;accent-color:var(--acc);min-width:0;margin:0}
        #at{min-width:13.5em;text-align:right}
        .list{position:relative;overflow:auto;overflow-anchor:none;max-height:400px;container-type:inline-size}
        table{border-collapse:collapse;width:100%;table-layout:fixed}
        th,td{padding:0 6px;height:30px;line-height:29px;vertical-align:top;text-align:left;border-bottom:1px solid var(--soft);font-weight:400}
        th:first-child{padding-left:4px}
        thead th{position:sticky;top:0;z-index:1;background:var(--card);color:var(--mut);box-shadow:inset 0 -1px var(--line)}
        thead button{border:0;background:none;color:inherit;padding:0;min-height:26px;min-width:24px;font-size:inherit;border-radius:3px}
        table button:focus-visible{outline-offset:-2px}
        [aria-sort] button{color:var(--acc);font-weight:600}
        [aria-sort] button:after{content:"\2009▾"}[aria-sort=ascending] button:after{content:"\2009▴"}
        .out{width:8.6em}
        .n{text-align:right}
        .gap td{padding:0;border:0}
        tbody tr:not(.gap):hover,tr.sel{background:var(--soft)}
        tr.sel{box-shadow:inset 3px 0 var(--acc)}
        th>.go,td>.go{max-width:100%;display:block;text-decoration:none}
        tr:hover .go{text-decoration:underline}
        td .dot,li .dot{margin-right:7px}
        .art{position:absolute;right:0;pointer-events:none;width:21%}
        .spark{right:6px;width:94px;--k:var(--c0)}
        td.fall{text-align:right}
        td .fall{display:block;width:100%;height:16px;margin:5px 0}
        .wrap{white-space:normal;padding-top:4px;padding-bottom:4px;line-height:1.45}
        .wrap>.go,li>.go{display:inline;margin-left:8px;flex:none}
        .all #more span{white-space:normal}
        .lane{padding:8px 0 6px;border-top:1px solid var(--soft);min-width:0}
        .lane .head{margin:0;flex-wrap:nowrap}
        .lane h3{flex:1 1 0}
        #tokens .plot{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,500px),1fr));gap:0 32px}
        .lane canvas{height:62px;margin:3px 0 2px}
        .pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,280px),1fr));gap:12px 32px;margin:8px 0 6px}
        .shares th{width:46%}.shares .n{width:5em}
        .shares th,.shares td{border:0;height:26px;line-height:26px;padding-left:0}
        .shares tr:hover{background:none}
        .facts>div{display:grid;grid-template-columns:7.5em minmax(0,1fr);gap:12px;padding:3px 0}
        .facts dt{line-height:1.56}
        .verdict,#d-why{font-weight:600}
        #detail{position:fixed;z-index:5;top:0;right:0;bottom:0;width:min(560px,100%);overflow:auto;background:var(--card);border-left:1px solid var(--line);padding:0 20px 24px}
        #detail h3,#d-why{margin:10px 0 4px}
        #detail>.head:first-child{position:sticky;top:0;z-index:2;background:var(--card);margin:0;padding:10px 0 6px;flex-wrap:nowrap}
        #detail .body{container-type:inline-size}
        #d-title:focus{outline:none}
        .timeline th:first-child{width:46%;white-space:normal}.timeline .n{width:6.3em}
        .timeline th{padding-top:4px;padding-bottom:4px;line-height:1.45}
        td small,th small{display:block}
        .timeline .phase th{padding-left:20px;color:var(--mut)}
        pre{white-space:pre-wrap;font:.8125rem/1.5 ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;background:var(--soft);border-radius:6px;padding:10px 12px}
        dialog{border:1px solid var(--line);border-radius:10px;background:var(--card);color:inherit;padding:14px 20px 18px;width:min(480px,calc(100% - 32px))}
        dialog::backdrop{background:#0008}
        dialog label{display:flex;gap:8px;align-items:center;min-height:28px;margin-top:8px}
        dialog input{width:24px;height:24px;margin:0;accent-color:var(--acc)}
        .flash{outline:2px solid var(--acc);outline-offset:2px}
        @media(prefers-reduced-motion:no-preference){.flash{animation:flash 1.6s forwards}@keyframes flash{to{outline-color:transparent}}}
        @container(max-width:840px){.o3{display:none}}
        @container(max-width:600px){.o2{display:none}}
        @container(max-width:480px){.o1{display:none}.out{width:6.6em}}
        @media(max-width:560px){#calls .legend{display:none}}
        @media(max-width:699px){header,main,section{padding-left:12px;padding-right:12px}.tools{margin:0}#at{min-width:0;text-align:left}}
        @media(min-width:700px){#tiles{--n:4}header{position:sticky;top:0;z-index:3}}
        @media(min-width:1100px){body:not(.split) main{--n:2}#now,#tiles,#time,#tokens{grid-column:1/-1}#log{grid-row:span 2}.split{padding-right:560px}body:not(.split) #now div{grid-template-columns:minmax(0,3fr) minmax(0,2fr)}body:not(.split) #more{display:block;grid-area:1/2/3;align-self:center}}
        @media(min-width:1400px){body:not(.split) #tiles{--n:8}#now div{min-height:5.3em}}
        @media(forced-colors:active){i,svg,canvas{forced-color-adjust:none}}
        """#
}
