import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FaultPlan, type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { get, signed } from './caller.js';
import { bodyOf, rawRequest, statusOf } from './raw.js';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z' });
});
afterEach(() => sandbox.close());

const profile = '/api/v1/integration/profile';
const dealer = () => sandbox.credentials.dealer;

/** What has come over a socket so far, and a way to wait for more of it without a clock. */
class Line {
  text = '';
  ended = false;
  readonly socket: Socket;
  readonly #waiting: (() => void)[] = [];

  constructor() {
    const { hostname, port } = new URL(sandbox.baseUrl);
    this.socket = connect(Number(port), hostname, () =>
      this.socket.write(rawRequest(sandbox, dealer(), { path: profile })),
    );
    this.socket.on('data', (chunk) => {
      this.text += chunk.toString('latin1');
      this.#wake();
    });
    this.socket.on('error', () => {});
    this.socket.on('close', () => {
      this.ended = true;
      this.#wake();
    });
  }

  /** Resolves once something holds. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #wake() {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

const headHasCome = (line: Line) => line.text.includes('\r\n\r\n');
const bodySoFar = (line: Line) => bodyOf(line.text).length;

describe('over HTTP', () => {
  test('the head at once, the body by the clock, to its end', async () => {
    sandbox.inject({ fault: 'slow', bytesPerMs: 0.5 });
    const line = new Line();
    await line.until(() => headHasCome(line));
    expect([statusOf(line.text), bodySoFar(line)]).toEqual([200, 0]);
    for (const bytes of [1, 10, 25]) {
      const before = bodySoFar(line);
      sandbox.clock.advance(bytes * 2);
      await line.until(() => bodySoFar(line) >= before + bytes);
      expect(bodySoFar(line)).toBe(before + bytes);
    }
    sandbox.clock.advance(1_000_000);
    await line.until(() => line.ended);
    expect(JSON.parse(bodyOf(line.text)).data.client_id).toBe(dealer().clientId);
  });

  test('a slow head comes byte by byte, and the body after it', async () => {
    sandbox.inject({ fault: 'slow', part: 'head', bytesPerMs: 1 });
    const line = new Line();
    for (const [ms, text] of [
      [8, 'HTTP/1.1'],
      [7, 'HTTP/1.1 200 OK'],
    ] as const) {
      await settled('integration.profile');
      sandbox.clock.advance(ms);
      await line.until(() => line.text.length >= text.length);
      expect(line.text).toBe(text);
    }
    sandbox.clock.advance(1_000_000);
    await line.until(() => line.ended);
    expect(line.text.match(/^date: /gim)).toHaveLength(1);
    expect(line.text).toMatch(/^connection: close\r$/im);
    expect(JSON.parse(bodyOf(line.text)).data.client_id).toBe(dealer().clientId);
  });

  test('a body that stalls: so many bytes, and an open connection until the sandbox closes', async () => {
    sandbox.inject({ fault: 'slow', bytesPerMs: Number.POSITIVE_INFINITY, stallAfter: 10 });
    const line = new Line();
    await line.until(() => headHasCome(line) && bodySoFar(line) >= 10);
    sandbox.clock.advance(86_400_000);
    await settled('integration.profile');
    expect([bodySoFar(line), line.ended]).toEqual([10, false]);
    await sandbox.close();
    await line.until(() => line.ended);
    expect(bodySoFar(line)).toBe(10);
  });

  test('whoever hangs up harms nobody', async () => {
    sandbox.inject({ fault: 'slow', bytesPerMs: 0.001 });
    const line = new Line();
    await line.until(() => headHasCome(line));
    line.socket.destroy();
    await line.until(() => line.ended);
    sandbox.clock.advance(10_000_000);
    expect((await get(sandbox, dealer(), profile)).status).toBe(200);
  });
});

describe('in process', () => {
  const started = async (plan: FaultPlan, signal?: AbortSignal) => {
    sandbox.inject(plan);
    const { headers } = signed(sandbox, dealer(), { path: profile });
    return sandbox.fetch(`${sandbox.baseUrl}/integration/profile`, { headers, ...(signal && { signal }) });
  };

  test('the body by the clock', async () => {
    const response = await started({ fault: 'slow', bytesPerMs: 2 });
    const reader = response.body?.getReader();
    const first = reader?.read();
    sandbox.clock.advance(4);
    expect((await first)?.value).toHaveLength(8);
    const second = reader?.read();
    sandbox.clock.advance(1);
    expect((await second)?.value).toHaveLength(2);
    const rest = reader?.read();
    sandbox.clock.advance(1_000_000);
    const length = 10 + ((await rest)?.value?.length ?? 0);
    expect(String(length)).toBe(response.headers.get('content-length'));
    expect((await reader?.read())?.done).toBe(true);
  });

  test('a slow head holds the response', async () => {
    let come = false;
    const response = started({ fault: 'slow', part: 'head', bytesPerMs: 1 }).then((got) => {
      come = true;
      return got;
    });
    await settled('integration.profile');
    sandbox.clock.advance(50);
    await settled('integration.profile');
    expect(come).toBe(false);
    sandbox.clock.advance(1_000_000);
    const json = (await (await response).json()) as { data: { client_id: string } };
    expect(json.data.client_id).toBe(dealer().clientId);
  });

  test('a body that stalls can be aborted, and ends when the sandbox closes', async () => {
    const abort = new AbortController();
    const plan: FaultPlan = { fault: 'slow', bytesPerMs: Number.POSITIVE_INFINITY, stallAfter: 5 };
    const aborted = (await started(plan, abort.signal)).text();
    abort.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    const cut = (await started(plan)).text();
    await sandbox.close();
    await expect(cut).rejects.toThrow(TypeError);
  });

  test('it was carried out all the same', async () => {
    await started({ fault: 'slow', stallAfter: 0 });
    expect(sandbox.attempts().at(-1)).toMatchObject({ status: 200, fault: 'slow' });
  });
});

/** Lets the service go on until the latest request of a call is answered, and what hangs on that too. */
async function settled(call: string): Promise<void> {
  const isAnswered = () => sandbox.attempts().some((each) => each.call === call && each.status === 200);
  while (!isAnswered()) await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
}
