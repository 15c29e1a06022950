/** How the page looks: the system's own letters and colours, light or dark, from a phone's width on. */
export const styleText = `
:root {
  --ground: #f4f6f6; --sheet: #fff; --ink: #17211f; --quiet: #5b6966; --line: #dbe2e0; --soft: #eef2f1;
  --accent: #0b6e6e; --accent-ink: #fff; --good: #16703a; --warn: #8a5a00; --bad: #b3261e; --hint: #fff4e0;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  color-scheme: light dark;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #101514; --sheet: #181f1d; --ink: #e4ebe9; --quiet: #97a6a2; --line: #2c3633; --soft: #202927;
    --accent: #4fc1b6; --accent-ink: #06211f; --good: #6bcf8e; --warn: #e6b35a; --bad: #ff8a80; --hint: #33270f;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; display: flex; flex-direction: column; height: 100vh; min-height: 720px; background: var(--ground); color: var(--ink); font: 14px/1.45 system-ui, sans-serif; }
h1, h2, h3, p, ol, ul, dl, pre { margin: 0; padding: 0; }
h1 { font-size: 17px; }
h2 { font-size: 15px; }
h3 { margin: 10px 0 4px; font-size: 12px; color: var(--quiet); font-weight: 600; }
ol, ul { list-style: none; }
code, pre, .path, .time, .ids, time { font-family: var(--mono); font-size: 12px; }
time { font-size: 13px; font-weight: 600; }
.quiet, .sub, .count, .none, .time { color: var(--quiet); }
.count { font-weight: 400; font-size: 13px; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }

button, input, select { font: inherit; color: inherit; min-height: 30px; padding: 3px 10px; border-radius: 6px;
  border: 1px solid var(--line); background: var(--sheet); max-width: 100%; }
input[type='checkbox'] { min-height: 0; vertical-align: -2px; accent-color: var(--accent); }
input[type='number'] { width: 64px; }
button { cursor: pointer; color: var(--ink); background: var(--soft); }
button:hover:not(:disabled) { border-color: var(--accent); }
button:disabled { opacity: .45; cursor: default; }
button.main { background: var(--accent); color: var(--accent-ink); border-color: var(--accent); }
button.small { min-height: 26px; padding: 1px 8px; font-size: 12px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.scroll:focus-visible { outline-offset: -2px; }
form, .buttons { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; }

header { display: flex; flex-wrap: wrap; gap: 8px 28px; align-items: center; padding: 10px 16px;
  background: var(--sheet); border-bottom: 1px solid var(--line); }
.title { display: flex; gap: 10px; align-items: baseline; }
.base { overflow-wrap: anywhere; }
.clock { display: flex; flex-wrap: wrap; gap: 6px 14px; align-items: center; margin-left: auto; }
.link { font-size: 12px; color: var(--quiet); white-space: nowrap; }
.link::before { content: ''; display: inline-block; width: 8px; height: 8px; margin-right: 5px; border-radius: 50%;
  background: var(--quiet); }
.link.up::before { background: var(--good); }
.link.down { color: var(--bad); }
.link.down::before { background: var(--bad); }
nav { display: none; }

main { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); grid-template-rows: minmax(0, 1fr) auto 26vh;
  gap: 12px; padding: 12px 16px; flex: 1; min-height: 0; }
section { display: flex; flex-direction: column; min-height: 0; background: var(--sheet); border: 1px solid var(--line);
  border-radius: 10px; overflow: hidden; }
#requests { grid-row: 1 / span 3; }
.bar { display: flex; flex-wrap: wrap; gap: 6px 12px; align-items: center; padding: 8px 12px; }
.bar h2 { margin-right: auto; }
.bar.facts { justify-content: space-between; padding-top: 0; color: var(--quiet); }
#auction-facts { width: 100%; }
input[type='search'] { width: 150px; }
.scroll { overflow: auto; flex: 1; min-height: 0; border-top: 1px solid var(--line); overflow-anchor: auto; }
.none { padding: 14px 12px; }

.rows > li { border-bottom: 1px solid var(--line); }
summary { display: grid; grid-template-columns: 96px 16px 68px minmax(0, 1fr) auto; gap: 0 8px; padding: 5px 12px;
  cursor: pointer; list-style: none; border-left: 3px solid transparent; align-items: baseline; }
summary::-webkit-details-marker { display: none; }
summary:hover { background: var(--soft); }
summary:focus-visible { outline-offset: -2px; }
summary .call { font-weight: 600; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
summary .path { grid-column: 4; color: var(--quiet); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
summary .who, summary .code { text-align: right; white-space: nowrap; max-width: 200px; overflow: hidden;
  text-overflow: ellipsis; }
summary .code { color: var(--quiet); font-size: 12px; }
summary .fault { grid-column: 4 / -1; color: var(--warn); font-size: 12px; }
summary .fault::before { content: 'fault: '; }
.status { font-weight: 600; font-variant-numeric: tabular-nums; }
[data-tone='good'] .status { color: var(--good); }
[data-tone='refused'] .status, [data-tone='struck'] .status { color: var(--warn); }
[data-tone='bad'] .status { color: var(--bad); }
[data-tone='bad'] summary { border-left-color: var(--bad); }
[data-tone='struck'] summary, [data-tone='refused'] summary { border-left-color: var(--warn); }
.mark.valid { color: var(--good); }
.mark.invalid { color: var(--bad); font-weight: 700; }
.mark.unchecked { color: var(--quiet); }
.detail { padding: 8px 12px 14px 15px; background: var(--soft); border-top: 1px solid var(--line); }
.detail dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 2px 14px; font-size: 13px; }
.detail dt { color: var(--quiet); }
.detail dd { margin: 0; overflow-wrap: anywhere; }
.detail pre { padding: 8px 10px; max-height: 300px; overflow: auto; background: var(--sheet);
  border: 1px solid var(--line); border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; }
.hint { padding: 8px 10px; margin-bottom: 10px; border-left: 3px solid var(--warn); background: var(--hint);
  overflow-wrap: anywhere; }

table { width: 100%; border-collapse: collapse; }
th { position: sticky; top: 0; padding: 6px 8px; background: var(--sheet); text-align: left; font-size: 12px;
  color: var(--quiet); font-weight: 600; box-shadow: 0 1px var(--line); z-index: 1; }
th.number { text-align: right; }
td { padding: 5px 8px; border-bottom: 1px solid var(--line); vertical-align: top; }
th:first-child, td:first-child { padding-left: 12px; }
.sub { display: block; font-size: 12px; overflow-wrap: anywhere; }
.act { text-align: right; }

#faults .buttons { padding: 0 12px 10px; }
#faults .none { padding-top: 0; }
#faults-list { max-height: 120px; overflow: auto; }
#faults-list > li { padding: 5px 12px; border-top: 1px solid var(--line); border-bottom: 0; }
#fault-operation { width: 210px; }
.commit { display: grid; grid-template-columns: 96px minmax(0, 1fr) auto auto; gap: 0 12px; padding: 5px 12px;
  align-items: baseline; }
.commit .call { font-weight: 600; overflow: hidden; text-overflow: ellipsis; }
.commit .amount { font-variant-numeric: tabular-nums; }
.commit .ids { grid-column: 2 / -1; color: var(--quiet); overflow-wrap: anywhere; }

.notice { position: fixed; left: 50%; bottom: 18px; transform: translateX(-50%); max-width: calc(100vw - 32px);
  padding: 8px 16px; border-radius: 8px; background: var(--ink); color: var(--sheet); opacity: 0;
  pointer-events: none; transition: opacity .15s; z-index: 3; overflow-wrap: anywhere; }
.notice.shown { opacity: 1; }
.notice.wrong { background: var(--bad); color: var(--sheet); }
@media (prefers-reduced-motion: reduce) { .notice { transition: none; } }

@media (max-width: 1000px) {
  body { display: block; height: auto; }
  main { display: flex; flex-direction: column; padding: 10px; }
  .clock { margin-left: 0; }
  nav { display: flex; position: sticky; top: 0; z-index: 2; gap: 4px; padding: 6px 10px; background: var(--ground);
    border-bottom: 1px solid var(--line); }
  nav a { flex: 1; padding: 5px 4px; text-align: center; color: inherit; text-decoration: none; border-radius: 6px;
    background: var(--sheet); border: 1px solid var(--line); }
  section { scroll-margin-top: 48px; }
  .scroll { max-height: 70vh; }
}
@media (max-width: 560px) {
  header { padding: 10px; }
  summary, .commit { padding-left: 9px; padding-right: 10px; }
  summary { grid-template-columns: 16px 68px minmax(0, 1fr) auto; }
  summary .time { grid-column: 1 / 3; grid-row: 2; }
  summary .path, summary .fault { grid-column: 3 / -1; }
  summary .code { display: none; }
  .commit { grid-template-columns: minmax(0, 1fr) auto auto; }
  .commit .time { grid-column: 1 / -1; grid-row: 2; }
  .commit .ids { grid-column: 1 / -1; }
  input[type='search'] { width: 100%; }
  thead { display: none; }
  tr { display: grid; grid-template-columns: minmax(0, 1fr) auto 64px; gap: 0 10px; padding: 6px 12px;
    border-bottom: 1px solid var(--line); }
  td, td:first-child { padding: 0; border: 0; }
  td:nth-child(1) { grid-row: 1 / 3; }
  td:nth-child(3) { grid-column: 2; grid-row: 2; text-align: right; color: var(--quiet); font-size: 12px; }
  td:nth-child(4) { display: none; }
  td:nth-child(5) { grid-column: 3; grid-row: 1 / 3; }
  .detail dl { grid-template-columns: minmax(0, 1fr); }
  .detail dd { margin-bottom: 4px; }
}
`;
