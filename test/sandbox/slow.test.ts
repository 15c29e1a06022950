import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import type { FaultPlan } from '../../src/sandbox/index.js';
import { dealer, freshSandbox, profile, sandbox, signed } from './caller.js';
import { bodyOf, rawRequest } from './raw.js';

freshSandbox();

const stalling: FaultPlan = { fault: 'slow', bytesPerSecond: Number.POSITIVE_INFINITY, stallAfter: 10 };

/** What has come over a socket so far, and a way to wait for more of it without a clock. */
class Line {
  text = '';
  ended = false;
  readonly socket: Socket;
  #wake = () => {};

  constructor(plan: FaultPlan) {
    sandbox.inject(plan);
    const { hostname, port } = new URL(sandbox.baseUrl);
    this.socket = connect(Number(port), hostname);
    this.socket.write(rawRequest(sandbox, dealer(), { path: profile }));
    this.socket.on('error', () => {});
    this.socket.on('data', (chunk) => {
      this.text += chunk.toString('latin1');
      this.#wake();
    });
    this.socket.on('close', () => {
      this.ended = true;
      this.#wake();
    });
  }

  get body(): number | undefined {
    return this.text.includes('\r\n\r\n') ? bodyOf(this.text).length : undefined;
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** Lets the service go on until the request is answered, and what hangs on that too. */
async function answered(): Promise<void> {
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  while (!sandbox.attempts().some(({ status, fault }) => status === 200 && fault === 'slow')) await turn();
  await turn();
}

test('over HTTP a stalled body leaves the connection open until the sandbox closes', async () => {
  const line = new Line(stalling);
  await line.until(() => (line.body ?? 0) >= 10);
  sandbox.clock.advance(86_400_000);
  await answered();
  expect([line.body, line.ended]).toEqual([10, false]);
  await sandbox.close();
  await line.until(() => line.ended);
  expect(line.body).toBe(10);
});

const fetched = (plan: FaultPlan, signal?: AbortSignal) => {
  sandbox.inject(plan);
  const { headers } = signed(sandbox, dealer(), { path: profile });
  return sandbox.fetch(`${sandbox.baseUrl}/integration/profile`, { headers, ...(signal && { signal }) });
};

test('in process the body comes by the clock', async () => {
  const response = await fetched({ fault: 'slow', bytesPerSecond: 2_000 });
  const reader = response.body?.getReader();
  let length = 0;
  for (const [ms, bytes] of [
    [4, 8],
    [1, 10],
    [1_000_000, Number(response.headers.get('content-length'))],
  ] as const) {
    const chunk = reader?.read();
    sandbox.clock.advance(ms);
    length += (await chunk)?.value?.length ?? 0;
    expect(length).toBe(bytes);
  }
  expect((await reader?.read())?.done).toBe(true);
});

test('in process a stalled body can be aborted, and ends when the sandbox closes', async () => {
  const abort = new AbortController();
  const aborted = (await fetched(stalling, abort.signal)).text();
  abort.abort(new Error('enough'));
  await expect(aborted).rejects.toThrow('enough');
  const cut = (await fetched(stalling)).text();
  await sandbox.close();
  await expect(cut).rejects.toThrow(TypeError);
});
