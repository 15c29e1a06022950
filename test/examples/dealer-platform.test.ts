import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { LivePage, platformStage, requestsOf } from '../support/dealer-platform.js';
import { root } from '../support/sources.js';
import { isThorough } from '../support/thorough.js';

type Json = { readonly [field: string]: unknown };

/** A browser with a buyer's cookie. */
function visitor(url: string, token: string) {
  const headers = { cookie: `token=${token}` };
  return {
    get: (path: string) => fetch(url + path, { headers }),
    async post(path: string, body: Json | Buffer = {}): Promise<Json & { readonly code: number }> {
      const isFile = Buffer.isBuffer(body);
      const type = isFile ? 'application/octet-stream' : 'application/json';
      const reply = await fetch(url + path, {
        method: 'POST',
        headers: { ...headers, 'content-type': type },
        body: isFile ? new Uint8Array(body) : JSON.stringify(body),
      });
      return { code: reply.status, ...((await reply.json()) as Json) };
    },
  };
}

describe('the dealer platform', () => {
  it('shows 30 lots live to 40 buyers, each with its own standing, for no more requests than to one', async () => {
    await using stage = await platformStage();
    const { sandbox, lot } = stage;
    const platform = await stage.start();
    const pages = Array.from({ length: 40 }, (_, n) => new LivePage(platform.url, `token-${n + 1}`));
    const ids = new Set(sandbox.auctions.get('evening').lots.map(({ id }) => id));
    for (const id of ids) await Promise.all(pages.map((page) => page.until((event) => event['id'] === id)));
    const opening = { next: '102500.00', landed: '123973.75' };
    const first = pages.slice(37).map(({ events }) => events.find(({ id }) => id === lot.id));
    expect(first).toMatchObject([true, false, true].map((affordable) => ({ ...opening, affordable })));
    const asha = visitor(platform.url, 'token-1');
    const requestId = crypto.randomUUID();
    const bid = await asha.post(`/lots/${lot.id}/bids`, { requestId, amount: lot.startingPrice });
    expect(bid).toMatchObject({ code: 201, status: 'accepted' });
    const isBid = (event: Json) => event['id'] === lot.id && event['highest'] === lot.startingPrice;
    const seen = await Promise.all(pages.map((page) => page.until(isBid)));
    expect(seen.map(({ standing }) => standing)).toEqual(['leading', ...Array(39).fill('no_bid')]);
    sandbox.actors.rival.bid(lot.id, String(Number(lot.startingPrice) + 5_000));
    const outbid = (event: Json) => event['id'] === lot.id && event['standing'] === 'outbid';
    expect(await pages[0]?.until(outbid)).toMatchObject({ own: lot.startingPrice });
    expect(
      pages.flatMap(({ events }) => events.filter(({ id }) => id !== undefined && !ids.has(String(id)))),
    ).toEqual([]);
    // No request asks for one buyer, so it costs the same however many look on.
    expect(requestsOf(sandbox, 'A11')).toBeGreaterThan(0);
    expect(stage.perBuyer).toEqual([]);
    for (const page of pages) page.close();
    await platform.close();
  });

  it('makes one bid of one request, however often it comes, across a restart', async () => {
    await using stage = await platformStage();
    const { sandbox, lot } = stage;
    const bid = { requestId: crypto.randomUUID(), amount: lot.startingPrice };
    const path = `/lots/${lot.id}/bids`;
    const first = await stage.start();
    const asha = visitor(first.url, 'token-1');
    sandbox.inject({ operation: 'bids.submit', fault: 'drop_after_commit' });
    const twice = await Promise.all([asha.post(path, bid), asha.post(path, bid)]);
    expect(twice.map(({ code }) => code)).toEqual([201, 201]);
    await first.close();
    const second = await stage.start();
    expect(await visitor(second.url, 'token-1').post(path, bid)).toMatchObject({ code: 201 });
    const other = visitor(second.url, 'token-2');
    expect(await other.post(path, bid)).toMatchObject({ code: 409 });
    expect(sandbox.ledger().filter(({ kind }) => kind === 'bid')).toHaveLength(1);
    const low = { requestId: crypto.randomUUID(), amount: '1' };
    expect(await other.post(path, low)).toMatchObject({ code: 422, status: 'rejected' });
    expect(await other.post(path, { ...low, amount: 'much' })).toMatchObject({ code: 400 });
    await second.close();
  });

  it('lets nobody in without a token, and serves photos of its lots only', async () => {
    await using stage = await platformStage();
    const platform = await stage.start();
    const { id } =
      stage.sandbox.auctions.get('evening').lots.find(({ media }) => media.length > 0) ?? stage.lot;
    for (const path of ['/', '/live', `/photos/${id}/0`]) {
      expect((await visitor(platform.url, 'wrong').get(path)).status).toBe(401);
    }
    const asha = visitor(platform.url, 'token-1');
    const photo = await asha.get(`/photos/${id}/0`);
    expect([photo.status, photo.headers.get('content-type')?.split('/')[0]]).toEqual([200, 'image']);
    expect((await photo.arrayBuffer()).byteLength).toBeGreaterThan(1_000);
    // Each photo costs one request, whoever asks for it, and whether it was fetched before.
    await Promise.all(
      Array.from({ length: 40 }, (_, n) => visitor(platform.url, `token-${n + 1}`).get(`/photos/${id}/0`)),
    );
    const asked = stage.sandbox.attempts().flatMap(({ path }) => (path.includes('/media/') ? [path] : []));
    expect(new Set(asked).size).toBe(asked.length);
    const [sealed] = stage.sandbox.auctions.get('sealed').lots;
    for (const path of [`/photos/${id}/99`, `/photos/${sealed?.id}/0`, '/photos/..%2f..%2fbids/0']) {
      expect((await asha.get(path)).status).toBe(404);
    }
    await platform.close();
  });

  it.runIf(isThorough)(
    'fetches each of 240 photos once for 40 browsers, and takes a bid meanwhile',
    { timeout: 120_000 },
    async () => {
      await using stage = await platformStage({ photos: 8, limit: 600 });
      const { sandbox, lot } = stage;
      const platform = await stage.start();
      const ids = sandbox.auctions.get('evening').lots.map(({ id }) => id);
      const paths = ids.flatMap((id) => Array.from({ length: 8 }, (_, n) => `/photos/${id}/${n}`));
      const browsers = Array.from({ length: 40 }, (_, n) => visitor(platform.url, `token-${n + 1}`));
      /** Loads all photos over six connections, as browsers do. */
      const open = async (browser: ReturnType<typeof visitor>) => {
        const left = [...paths];
        const seen = new Set<string>();
        const connection = async () => {
          for (let path = left.shift(); path !== undefined; path = left.shift()) {
            const photo = await browser.get(path);
            seen.add(`${photo.status} ${(await photo.arrayBuffer()).byteLength > 1_000}`);
          }
        };
        await Promise.all(Array.from({ length: 6 }, connection));
        return [...seen];
      };
      const opened = browsers.map(open);
      const [asha] = browsers;
      const bid = { requestId: crypto.randomUUID(), amount: lot.startingPrice };
      expect(await asha?.post(`/lots/${lot.id}/bids`, bid)).toMatchObject({ code: 201 });
      expect(new Set((await Promise.all(opened)).flat())).toEqual(new Set(['200 true']));
      const photos = sandbox.attempts().filter(({ path }) => path.includes('/media/'));
      expect([photos.length, new Set(photos.map(({ path }) => path)).size]).toEqual([240, 240]);
      await platform.close();
    },
  );

  it('tells the winner alone, once, also after a restart; acknowledges and takes evidence', async () => {
    await using stage = await platformStage();
    const { sandbox, lot } = stage;
    const first = await stage.start();
    const bid = { requestId: crypto.randomUUID(), amount: lot.startingPrice };
    await visitor(first.url, 'token-1').post(`/lots/${lot.id}/bids`, bid);
    await first.close();
    sandbox.auctions.close('evening');
    sandbox.actors.bank.approve(lot.id);
    const second = await stage.start();
    const [winner, loser] = [new LivePage(second.url, 'token-1'), new LivePage(second.url, 'token-2')];
    const isWin = ({ type }: Json) => type === 'win';
    const { saleId } = await winner.until(isWin);
    await loser.until(({ type }) => type === 'hello');
    await second.close();
    expect([winner, loser].map(({ events }) => events.filter(isWin).length)).toEqual([1, 0]);
    const third = await stage.start();
    const again = new LivePage(third.url, 'token-1');
    expect(await again.until(isWin)).toMatchObject({ saleId, lotId: lot.id, amount: lot.startingPrice });
    const [asha, ravi] = [visitor(third.url, 'token-1'), visitor(third.url, 'token-2')];
    expect(await asha.post(`/sales/${saleId}/acknowledgment`)).toMatchObject({ code: 200 });
    expect(await asha.post(`/sales/${saleId}/acknowledgment`)).toMatchObject({ code: 200 });
    expect(requestsOf(sandbox, 'A23')).toBe(1);
    expect(await asha.post(`/sales/${saleId}/evidence`, Buffer.from('UTR 1'))).toMatchObject({ code: 200 });
    for (const path of ['acknowledgment', 'evidence']) {
      expect(await ravi.post(`/sales/${saleId}/${path}`)).toMatchObject({ code: 404 });
    }
    await third.close();
  });

  it('runs as a program against the sandbox, and ends cleanly', async () => {
    const args = ['--import', 'tsx', 'examples/dealer-platform/main.ts', '--sandbox'];
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const gone = once(child, 'exit');
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    const url = String(line).replace('Open ', '');
    const login = await fetch(url, { redirect: 'manual' });
    expect([login.status, login.headers.get('set-cookie')]).toEqual([
      302,
      expect.stringContaining('HttpOnly'),
    ]);
    child.kill('SIGTERM');
    expect(await gone).toEqual([0, null]);
  });
});
