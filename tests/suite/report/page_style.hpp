// How the page looks: on screens wide and narrow, light and dark, and on paper. Holds no < > & (it stands in an element).
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace colex {

inline constexpr char const* page_style = R"(
:root { color-scheme: light dark; --ink: #1c1e21; --quiet: #5a6068; --paper: #fff; --line: #d5d8dc; --soft: #f4f5f7; --link: #0b57a4;
  --good: #176b2c; --bad: #a61b1b; --worse: #7a1fa0; --plain: #8b9199; --mark: #ffe08a; --mark-ink: #1c1e21; }
@media screen and (prefers-color-scheme: dark) { :root { --ink: #e6e8ea; --quiet: #a3abb5; --paper: #16181b; --line: #3a3e44;
  --soft: #212429; --link: #8ec1ff; --good: #7ddb93; --bad: #ff9a94; --worse: #dfa5ff; --plain: #7e868f; --mark: #6b5200; --mark-ink: #fff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1rem 1rem 4rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--ink);
  background: var(--paper); overflow-wrap: break-word; }
h1 { margin: 0 0 .75rem; font-size: 1.75rem; line-height: 1.2; } h2 { margin: 2.5rem 0 .75rem; font-size: 1.25rem; }
h3 { margin: 0 0 .5rem; font-size: 1.05rem; }
small { font-weight: normal; color: var(--quiet); font-size: .85em; } .over { margin: 0; color: var(--quiet); }
a { color: var(--link); }
code, pre, .grid, td.n { font-family: ui-monospace, monospace; font-size: .875rem; }
code { overflow-wrap: anywhere; }
pre { margin: .75rem 0 0; padding: .5rem .75rem; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--soft); border-radius: 4px; }
.good { color: var(--good); } .bad { color: var(--bad); } .worse { color: var(--worse); } .plain { color: var(--quiet); }
.v { font-weight: 600; white-space: nowrap; } .v.plain { font-weight: normal; }
.bar { display: flex; gap: 2px; height: .75rem; } .bar i { border-radius: 2px; min-width: 3px; background: currentColor; } .bar .plain { color: var(--line); }
.counts { display: flex; flex-wrap: wrap; gap: 0 1.25rem; margin: .5rem 0 1rem; } .legend { color: var(--quiet); font-size: .9rem; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .2rem 1rem; margin: 0; } dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; } th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { font-weight: 600; } .all tbody th { font-weight: normal; } .n { text-align: right; white-space: nowrap; } th.n { white-space: normal; }
.differs { background: var(--soft); }
.wide, .pictures { overflow-x: auto; }
.pictures { display: flex; flex-wrap: wrap; gap: 1rem 2rem; margin: 1rem 0; }
.grid td { text-align: right; min-width: 2.2rem; border: 1px solid var(--line); } figure { margin: 0; } figcaption { margin-bottom: .3rem; }
mark { background: var(--mark); color: var(--mark-ink); font-weight: bold; text-decoration: underline; padding: 0 .2rem; }
details { border-top: 1px solid var(--line); } details .wide { margin: 0 0 .75rem 1.1rem; }
summary { cursor: pointer; padding: .35rem 0; } summary .v { margin-left: .9rem; font-size: .9rem; } summary b { font-weight: 600; }
article { border: 1px solid var(--line); border-radius: 6px; padding: 1rem; margin: .5rem 0 1rem; } article details { border: 0; margin-top: .5rem; }
section { margin: 1.25rem 0; max-width: 50rem; } section p { margin: 0; }
:target { outline: 2px solid var(--link); outline-offset: 4px; }
@media (max-width: 40rem) { body { padding: .75rem .75rem 3rem; } h1 { font-size: 1.4rem; } article { padding: .75rem; }
  dl { gap: .2rem .6rem; } th, td { padding: .25rem .4rem; } details .wide { margin-left: 0; } }
@media print { body { max-width: none; padding: 0; font-size: 10pt; } dl, figure, pre, section { break-inside: avoid; } h2, h3, summary { break-after: avoid; }
  .wide, .pictures { overflow: visible; } details::details-content { content-visibility: visible; height: auto; } }
)";

}  // namespace colex
