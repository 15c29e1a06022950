/** The page's frame. What it shows is filled in by its scripts, always as text and never as markup. */
export const documentText = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Vehicle auction sandbox</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%230b6e6e'/%3E%3Cpath d='M3 10l1.5-4h7L13 10v2H3z' fill='white'/%3E%3C/svg%3E">
<link rel="stylesheet" href="/_sandbox/page.css">
<script type="module" src="/_sandbox/page/main.js"></script>
</head>
<body>
<header>
  <div class="title">
    <h1>Vehicle auction sandbox</h1>
    <p id="link" class="link" role="status">connecting</p>
  </div>
  <p class="base"><span class="quiet">Base URL</span> <code id="base-url">…</code>
    <button type="button" id="copy-base-url" class="small">Copy</button></p>
  <div class="clock">
    <p><span class="quiet">Server time</span> <time id="now">…</time> <span id="clock-kind" class="quiet"></span></p>
    <div class="buttons" role="group" aria-label="Move the clock">
      <button type="button" data-ms="60000">+1 min</button>
      <button type="button" data-ms="600000">+10 min</button>
      <button type="button" data-ms="3600000">+1 h</button>
      <button type="button" id="to-next-close">To the next close</button>
      <form id="move-clock">
        <input id="move-by" size="7" placeholder="1h 30m" aria-label="Move the clock by" autocomplete="off" spellcheck="false">
        <button>Move</button>
      </form>
    </div>
  </div>
</header>
<nav aria-label="Parts of the page">
  <a href="#requests">Requests</a><a href="#lots">Lots</a><a href="#faults">Faults</a><a href="#ledger">Ledger</a>
</nav>
<main>
  <section id="requests" aria-labelledby="requests-title">
    <div class="bar">
      <h2 id="requests-title">Requests <span id="requests-count" class="count">0</span></h2>
      <input id="requests-search" type="search" placeholder="Filter" aria-label="Filter requests" autocomplete="off">
      <label><input id="requests-failed" type="checkbox"> Refused only</label>
    </div>
    <ol id="requests-list" class="rows scroll" tabindex="0" role="log" aria-live="polite" aria-relevant="additions" aria-labelledby="requests-title"></ol>
    <p id="requests-none" class="none">Nothing has arrived yet. Send a signed request to the base URL above, and it shows up here.</p>
  </section>
  <section id="lots" aria-labelledby="lots-title">
    <div class="bar">
      <h2 id="lots-title">Lots</h2>
      <select id="auction" aria-label="Auction"></select>
      <input id="lots-search" type="search" placeholder="Filter" aria-label="Filter lots" autocomplete="off">
    </div>
    <div class="bar facts">
      <p id="auction-facts"></p>
      <div class="buttons" role="group" aria-label="Move the close of this auction">
        <button type="button" data-close-by="-600000">−10 min</button>
        <button type="button" data-close-by="-60000">−1 min</button>
        <button type="button" data-close-by="600000">+10 min</button>
        <button type="button" id="close-now">Close now</button>
      </div>
      <label>Rival bids <input id="rival-amount" size="14" placeholder="the least it may" inputmode="decimal" autocomplete="off"></label>
    </div>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="lots-title">
      <table>
        <thead><tr><th>Vehicle</th><th class="number">Highest</th><th>Leader</th><th class="number">Bids</th><th><span class="unseen">Rival</span></th></tr></thead>
        <tbody id="lots-list"></tbody>
      </table>
      <p id="lots-more" class="none" hidden></p>
    </div>
  </section>
  <section id="faults" aria-labelledby="faults-title">
    <div class="bar">
      <h2 id="faults-title">Faults</h2>
      <label>for <input id="fault-operation" list="operations" placeholder="any call" size="20" autocomplete="off" spellcheck="false"></label>
      <datalist id="operations"></datalist>
      <label>times <input id="fault-times" type="number" min="1" max="999" value="1"></label>
    </div>
    <div id="fault-buttons" class="buttons" role="group" aria-label="Strike the next request with"></div>
    <ul id="faults-list" class="rows" aria-live="polite"></ul>
    <p id="faults-none" class="none">No fault waits. The next request is answered as it should be.</p>
  </section>
  <section id="ledger" aria-labelledby="ledger-title">
    <div class="bar"><h2 id="ledger-title">Ledger <span id="ledger-count" class="count">0</span></h2></div>
    <ol id="ledger-list" class="rows scroll" tabindex="0" aria-labelledby="ledger-title"></ol>
    <p id="ledger-none" class="none">Nothing is committed yet. Accepted bids and commands are listed here.</p>
  </section>
</main>
<p id="notice" class="notice" role="status" aria-live="assertive"></p>
<noscript><p class="none">The inspector needs JavaScript.</p></noscript>
</body>
</html>
`;
