import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { bid, get, lotOf, send } from '../sandbox/caller.js';
import { chromiumPath, launch } from './chromium.js';

// A browser starts slowly on a busy machine; nothing here waits for a time to pass.

const executable = chromiumPath();
const title =
  executable === undefined
    ? 'the inspector in a browser: not judged, for this machine has no Chromium (CHROMIUM_PATH names one)'
    : 'the inspector in a browser';

// `npm test` is for everybody; where the project itself is judged, nothing is skipped.
if (executable === undefined) process.stderr.write(`\nSkipped: ${title}\n`);

if (process.env['REQUIRE_CHROMIUM'] === '1') {
  test('there is a Chromium, as REQUIRE_CHROMIUM demands', () => {
    expect(executable).toBeDefined();
  });
}

describe.skipIf(executable === undefined)(title, () => {
  const profile = '/api/v1/integration/profile';
  let browser: Browser;
  let sandbox: Sandbox;
  let page: Page;
  /** What should not happen: errors of the page, and requests to anybody else. */
  let wrong: string[];

  beforeAll(async () => {
    browser = await launch(executable ?? '');
  });
  afterAll(() => browser?.close());

  beforeEach(async () => {
    sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z' });
    wrong = [];
    page = await opened({ width: 1280, height: 900 });
  });
  afterEach(async () => {
    await page.close();
    await sandbox.close();
    expect(wrong).toEqual([]);
  });

  async function opened(viewport: { width: number; height: number }, of = sandbox): Promise<Page> {
    const { origin } = new URL(of.baseUrl);
    const made = await browser.newPage({ viewport });
    made.setDefaultTimeout(300_000);
    made.on('pageerror', (error) => wrong.push(error.message));
    made.on('dialog', (dialog) => {
      wrong.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    made.on('console', (message) => {
      // A refusal that the page tells of is no fault of the page.
      const isRefusal =
        message.text().startsWith('Failed to load resource') && message.text().includes('409');
      if (message.type() !== 'log' && !isRefusal) wrong.push(message.text());
    });
    made.on('request', (request) => {
      const url = new URL(request.url());
      if (url.origin !== origin && url.protocol !== 'data:') wrong.push(`asks ${request.url()}`);
    });
    await made.goto(`${origin}/`);
    await made.locator('#link.up').waitFor();
    await made.locator('#lots-list tr').first().waitFor();
    return made;
  }

  const row = (text: string) => page.locator('#requests-list li', { hasText: text });
  const lotRow = (id: string) => page.locator(`tr[data-lot="${id}"]`);
  const highest = (id: string) => lotRow(id).locator('[data-is="highest"]');

  test('it loads by itself and shows where clients go', async () => {
    await page.getByText(sandbox.baseUrl, { exact: true }).waitFor();
    await page.getByText('2026-03-01 10:00:00 UTC', { exact: true }).waitFor();
    await page.getByText('closes in 4 h · open bids · steps of ₹5,000').waitFor();
    expect(await page.locator('#lots-list tr').count()).toBe(40);
    await page.getByText('No requests yet.').waitFor();
  });

  test('a signed request appears while one looks, with its contents', async () => {
    const lot = lotOf(sandbox, 'live-open');
    await bid(sandbox, sandbox.credentials.dealer, lot.id, { amount: lot.startingPrice });
    await row('bids.submit').getByLabel('signature valid').waitFor();
    await row('bids.submit').getByText('BID_ACCEPTED').waitFor();
    await row('bids.submit').locator('summary').click();
    await row('bids.submit').locator('pre', { hasText: '"dealer_id": "D-204"' }).waitFor();
    await row('bids.submit').locator('pre', { hasText: '"bidder_status": "leading"' }).waitFor();
    await lotRow(lot.id).locator('[data-is="leader"]', { hasText: 'dealer' }).waitFor();
    await page.locator('#ledger-list li', { hasText: 'bids.submit' }).waitFor();
  });

  test('a request that waits is shown, and then what became of it', async () => {
    sandbox.inject({ fault: 'delay', ms: 5_000 });
    const waiting = get(sandbox, sandbox.credentials.dealer, profile);
    await row('integration.profile').getByText('…', { exact: true }).waitFor();
    await page.getByLabel('Move the clock by').fill('5s');
    await page.getByLabel('Move the clock by').press('Enter');
    await row('integration.profile').getByText('200', { exact: true }).waitFor();
    expect((await waiting).status).toBe(200);
    expect(await page.locator('#requests-list li').count()).toBe(1);
  });

  test('a wrong signature shows its hint and the canonical request', async () => {
    const { dealer } = sandbox.credentials;
    await send(sandbox, dealer, { path: profile, sign: { secret: `${dealer.signingSecret}\n` } });
    await row('INVALID_SIGNATURE').getByLabel('signature invalid').waitFor();
    await row('INVALID_SIGNATURE').locator('summary').press('Enter');
    await row('INVALID_SIGNATURE').locator('.hint', { hasText: 'signing secret' }).waitFor();
    const canonical = row('INVALID_SIGNATURE').locator('pre').first();
    expect(await canonical.textContent()).toMatch(/^GET\n\/api\/v1\/integration\/profile\n\n1772359200\nn-/);
    expect(await page.content()).not.toContain(dealer.signingSecret);
  });

  test.each([
    ['+1 min', '2026-03-01 10:01:00 UTC'],
    ['+10 min', '2026-03-01 10:10:00 UTC'],
    ['+1 h', '2026-03-01 11:00:00 UTC'],
    ['To the next close', '2026-03-01 12:30:00 UTC'],
  ])('the button %s moves the clock', async (button, time) => {
    await page.getByRole('group', { name: 'Move the clock' }).getByRole('button', { name: button }).click();
    await page.locator('time', { hasText: time }).waitFor();
    expect(sandbox.clock.now()).toBe(Date.parse(time.replace(' UTC', 'Z').replace(' ', 'T')));
  });

  test('a span that is none is said, and moves nothing', async () => {
    await page.getByLabel('Move the clock by').fill('soon');
    await page.getByLabel('Move the clock by').press('Enter');
    await page.locator('#notice', { hasText: 'Write it like 90s' }).waitFor();
    expect(sandbox.clock.now()).toBe(Date.parse('2026-03-01T10:00:00Z'));
  });

  test('extends, shortens and closes the auction that is chosen', async () => {
    await page.getByRole('button', { name: '+10 min', exact: true }).last().click();
    await page.getByText('closes in 4 h 10 min').waitFor();
    await page.getByRole('button', { name: '−1 min', exact: true }).click();
    await page.getByText('closes in 4 h 9 min').waitFor();
    expect(sandbox.auctions.get('live-open').closesAt).toBe(Date.parse('2026-03-01T14:09:00Z'));
    await page
      .getByLabel('Auction', { exact: true })
      .selectOption({ label: 'live-closed · live · 30 lots · 0 bids' });
    await page.getByText('sealed bids').waitFor();
    await page.getByRole('button', { name: 'Close now' }).click();
    await page.getByText('closed 2026-03-01 10:00:00 UTC').waitFor();
    expect(sandbox.auctions.get('live-closed').status).toBe('over');
    expect(sandbox.auctions.get('live-open').status).toBe('live');
  });

  test('the rival bids the least that it may, then an amount; a refusal is told', async () => {
    const lot = lotOf(sandbox, 'live-open');
    const plus = (rupees: number) => (Number(lot.startingPrice) + rupees).toFixed(2);
    await lotRow(lot.id).getByRole('button').click();
    await highest(lot.id).filter({ hasText: '₹1,02,500' }).waitFor();
    await page.getByLabel('Rival bids', { exact: true }).fill(plus(10_000));
    await lotRow(lot.id).getByRole('button').click();
    await highest(lot.id).filter({ hasText: '₹1,12,500' }).waitFor();
    await lotRow(lot.id).locator('[data-is="leader"]', { hasText: 'rival' }).waitFor();
    await lotRow(lot.id).getByRole('button').click();
    await page.locator('#notice.wrong', { hasText: 'BID_BELOW_MINIMUM' }).waitFor();
    expect(sandbox.ledger().map(({ amount }) => amount)).toEqual([lot.startingPrice, plus(10_000)]);
  });

  test('a fault button strikes the next request it is for', async () => {
    const { dealer } = sandbox.credentials;
    await page.getByRole('button', { name: 'Lose the next bid’s reply' }).click();
    await page.locator('#faults-list li', { hasText: 'drop_after_commit' }).waitFor();
    expect((await get(sandbox, dealer, profile)).status).toBe(200);
    const lot = lotOf(sandbox, 'live-open');
    await expect(bid(sandbox, dealer, lot.id, { amount: lot.startingPrice })).rejects.toThrow(TypeError);
    await row('bids.submit').getByText('drop_after_commit').waitFor();
    await page.locator('#faults-none').waitFor();
    expect(sandbox.ledger()).toHaveLength(1);
  });

  test('a fault for one operation, several times, is listed and withdrawn', async () => {
    const { dealer } = sandbox.credentials;
    await page.getByLabel('for', { exact: true }).fill('integration.profile');
    await page.getByLabel('times').fill('2');
    await page.getByRole('button', { name: '429' }).click();
    await page.getByText('integration.profile · next, 2 times').waitFor();
    expect((await get(sandbox, dealer, profile)).status).toBe(429);
    await page.getByText('integration.profile · next · retryAfter 2').waitFor();
    await page.getByRole('button', { name: 'Withdraw rate_limit' }).click();
    await page.locator('#faults-none').waitFor();
    expect((await get(sandbox, dealer, profile)).status).toBe(200);
  });

  test('hostile text stays text, wherever it comes from', async () => {
    const { dealer } = sandbox.credentials;
    const hostile = '<img src=x onerror=alert(1)><script>alert(2)</script>';
    const coded = encodeURIComponent(hostile).replace(/[()]/g, (c) => (c === '(' ? '%28' : '%29'));
    await get(sandbox, { ...dealer, clientId: hostile }, profile);
    await get(sandbox, dealer, `/api/v1/events/${coded}`);
    await get(sandbox, dealer, '/api/v1/events', `search=${coded}`);
    await send(sandbox, dealer, {
      path: '/api/v1/lots/status-batch',
      body: { lot_ids: [hostile], [hostile]: hostile },
      headers: { 'Idempotency-Key': hostile },
    });
    sandbox.inject({ fault: 'redirect', location: hostile, nth: 9 });
    await page.locator('#faults-list', { hasText: hostile }).waitFor();
    await row('lots.statusBatch').waitFor();
    for (const summary of await page.locator('#requests-list summary').all()) await summary.click();
    await row('lots.statusBatch').locator('pre', { hasText: hostile }).first().waitFor();
    await row('lots.statusBatch').locator('dd', { hasText: hostile }).waitFor();
    await row('events.list').locator('pre', { hasText: hostile }).first().waitFor();
    await row(hostile).first().waitFor();
    expect(await page.locator('img, #requests-list script, iframe').count()).toBe(0);
  });

  test('a thousand requests: the latest 200 are shown, the list stays where it is', async () => {
    await using busy = await startSandbox({ clock: 'manual', rateLimit: false });
    const view = await opened({ width: 1280, height: 900 }, busy);
    const before = await view.locator('#lots').boundingBox();
    for (let sent = 100; sent <= 1_000; sent += 100) {
      await Promise.all(Array.from({ length: 100 }, () => get(busy, busy.credentials.dealer, profile)));
      await view.locator('#requests-count', { hasText: sent.toLocaleString('en') }).waitFor();
    }
    expect(await view.locator('#requests-list li').count()).toBe(200);
    expect(await view.locator('#requests-list li').first().getAttribute('data-n')).toBe('1000');
    expect(await view.locator('#lots').boundingBox()).toEqual(before);
    await view.close();
  });

  test('the filters narrow requests and lots', async () => {
    const { dealer } = sandbox.credentials;
    await get(sandbox, dealer, profile);
    await get(sandbox, dealer, '/api/v1/nothing');
    await row('no such route').waitFor();
    await page.getByLabel('Refused only').check();
    await row('integration.profile').waitFor({ state: 'hidden' });
    await page.getByLabel('Refused only').uncheck();
    await page.getByLabel('Filter requests').fill('PROFILE');
    await row('no such route').waitFor({ state: 'hidden' });
    await row('integration.profile').waitFor();
    const lot = lotOf(sandbox, 'live-open', 7);
    await page.getByLabel('Filter lots').fill(lot.id);
    await lotRow(lotOf(sandbox, 'live-open').id).waitFor({ state: 'detached' });
    expect(await page.locator('#lots-list tr').count()).toBe(1);
  });

  test('a page that lost its sandbox says so', async () => {
    await sandbox.close();
    await page.locator('#link.down', { hasText: 'no reply' }).waitFor();
    wrong = wrong.filter((text) => !text.includes('ERR_'));
  });

  test.each([360, 768, 1280])(
    'at %d pixels nothing sticks out, and everything has its place',
    async (width) => {
      const view = await opened({ width, height: 780 });
      const lot = lotOf(sandbox, 'live-open');
      await bid(sandbox, sandbox.credentials.dealer, lot.id, { amount: lot.startingPrice });
      await view.locator('#requests-list li').first().waitFor();
      const sizes = await view.evaluate('[document.documentElement.scrollWidth, innerWidth]');
      expect(sizes).toEqual([width, width]);
      for (const name of ['Requests', 'Lots', 'Faults', 'Sales', 'Ledger', 'Webhooks', 'Credentials'])
        await view.getByRole('heading', { name }).waitFor();
      await view.close();
    },
  );

  test('the keyboard reaches everything that does something', async () => {
    const reached = new Set<string>();
    for (let step = 0; step < 90; step += 1) {
      await page.keyboard.press('Tab');
      reached.add(
        String(await page.evaluate('document.activeElement.id || document.activeElement.textContent')),
      );
    }
    for (const each of [
      'copy-base-url',
      '+1 min',
      'move-by',
      'auction',
      'close-now',
      'rival-amount',
      'Rival',
      'fault-operation',
      '429',
      'requests-search',
    ])
      expect([...reached]).toContain(each);
  });
});
