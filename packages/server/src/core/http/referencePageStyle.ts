/** Style of the reference page: the colors of the app, light and dark, responsive. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#f5f2ea, #12140f);
  --surface: light-dark(#fffdf8, #1a1d17);
  --sunken: light-dark(#ece8dc, #0c0e0a);
  --ink: light-dark(#1d1c18, #ecebe2);
  --soft: light-dark(#5c594f, #a6a598);
  --strong: light-dark(#8c8676, #707566);
  --line: light-dark(#dcd6c6, #2d3128);
  --accent: light-dark(#0e5a44, #6fcea6);
  --brass: light-dark(#7a5512, #e3bd69);
  --focus: light-dark(#1456c4, #8ab8ff);
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0 auto; max-width: 76rem; padding: 1.5rem clamp(0.75rem, 3vw, 2rem) 4rem;
  background: var(--paper); color: var(--ink); overflow-wrap: anywhere;
  font: 0.9375rem/1.5 "Inter Variable", Inter, system-ui, sans-serif;
}
h1 { font-size: clamp(1.9rem, 1.2rem + 3vw, 2.9rem); line-height: 1.1; margin: 0.5rem 0; }
h2 { font-size: 1.5rem; line-height: 1.2; margin: 2.25rem 0 0.75rem; }
h3 { font-size: 1.125rem; margin: 0; }
a { color: var(--accent); }
h3 a { color: inherit; text-decoration: none; }
h3 a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: 2px; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 0.75rem; top: 0.75rem; background: var(--surface); padding: 0.5rem 0.75rem; }
header > * { max-width: 44rem; }
code, pre { font-family: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace; font-size: 0.875em; }
nav h2 { font-size: 0.8125rem; color: var(--soft); margin: 1rem 0 0.25rem; }
nav ul { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: 0 1rem; }
nav a { display: inline-block; min-height: 1.5rem; padding: 0.15rem 0; }
article {
  background: var(--surface); border: 1px solid var(--line); border-radius: 12px;
  padding: 1rem clamp(0.75rem, 2vw, 1.5rem); margin: 0 0 1rem;
}
article:target { border-color: var(--accent); }
article p { margin: 0.35rem 0; }
.method { font-weight: 650; color: var(--accent); }
dl { margin: 0.75rem 0; display: grid; grid-template-columns: minmax(9rem, auto) 1fr; gap: 0.5rem 1.25rem; }
dt, dd { margin: 0; }
.kind { display: block; color: var(--soft); font-size: 0.8125rem; }
.required { color: var(--brass); font-weight: 600; }
pre {
  background: var(--sunken); border: 1px solid var(--line); border-radius: 8px;
  margin: 0.75rem 0 0; padding: 0.75rem; overflow-x: auto; overflow-wrap: normal; max-height: 30rem;
}
.curl { white-space: pre-wrap; overflow-wrap: anywhere; user-select: all; -webkit-user-select: all; }
input, textarea, button { font: inherit; color: inherit; }
input, textarea {
  width: 100%; min-height: 2.25rem; padding: 0.375rem 0.75rem;
  border: 1px solid var(--strong); border-radius: 8px; background: var(--surface);
}
.try input, .try textarea { font-family: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace; font-size: 0.875em; }
button {
  min-height: 2.25rem; padding: 0 1rem; border: 1px solid var(--accent); border-radius: 8px;
  background: var(--accent); color: var(--surface); font-weight: 600; cursor: pointer;
}
button:disabled { opacity: 0.6; cursor: default; }
.tools { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 16rem), 1fr)); gap: 0.25rem 1rem; margin-top: 1.5rem; }
.tools[hidden], article[hidden], .group[hidden], .try[hidden], pre[hidden], nav li[hidden] { display: none; }
.try form { display: grid; gap: 0.75rem; margin-top: 0.75rem; max-width: 44rem; }
.send { display: flex; gap: 0.75rem; align-items: center; flex-wrap: wrap; }
details { margin-top: 0.75rem; }
summary { cursor: pointer; min-height: 1.5rem; color: var(--soft); }
@media (max-width: 38rem) {
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: 0.75rem; }
}
@media print { nav, .skip { display: none; } article { break-inside: avoid; } }
`;
