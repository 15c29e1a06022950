import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { instrument } from '../../src/opentelemetry/index.js';
import { acceptance, lookup } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { BID, BRIEF, KEYED, LOST, mute } from '../support/placed-bids.js';
import type { Step } from '../support/scripted-transport.js';
import { textOf } from '../support/sources.js';
import { Telemetry } from './scrape.js';

const telemetry = new Telemetry();
afterAll(() => telemetry.end());
beforeEach(() => telemetry.spans.reset());

/** All traces as text: one line for each span, with its outcome or status. */
function drawn(): string {
  const all = telemetry.spans.getFinishedSpans();
  const under = (parent: string | undefined) =>
    all
      .filter((span) => span.parentSpanContext?.spanId === parent)
      .sort((a, b) => a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1]);
  const linesOf = (span: ReadableSpan): string[] => {
    const children = under(span.spanContext().spanId).map(linesOf);
    const inner = children.flatMap(([first = '', ...rest], index) => {
      const isLast = index === children.length - 1;
      return [`${isLast ? '└─' : '├─'} ${first}`, ...rest.map((line) => `${isLast ? '  ' : '│ '} ${line}`)];
    });
    return [`${span.name}${factsOf(span)}`, ...inner];
  };
  return under(undefined).flatMap(linesOf).join('\n');
}

function factsOf({ attributes, links }: ReadableSpan): string {
  const names = [
    'vehicle_auction.outcome',
    'vehicle_auction.reason',
    'http.response.status_code',
    'error.type',
  ];
  const values = names.flatMap((name) => attributes[name] ?? []).map(String);
  const facts = [...new Set(values), ...(links.length > 0 ? [`links ${links.length}`] : [])];
  return facts.length === 0 ? '' : `: ${facts.join(', ')}`;
}

/** Places one bid in a process, then runs `recover` in another where it has replies. */
async function traced(
  steps: readonly Step[],
  options: object,
  recovery: readonly Step[] = [],
): Promise<string> {
  const scene = new Scene();
  const { client } = scene.dealer(steps);
  instrument(client);
  await scene.during(client.bids.place(BID, options));
  if (recovery.length > 0) {
    const other = scene.dealer(recovery);
    instrument(other.client);
    await scene.during(other.client.recover());
  }
  return drawn();
}

it.each([
  ['a smooth bid', [acceptance()], KEYED, []],
  ['a bid whose reply is lost', [LOST, acceptance({ replayed: true }, 200)], KEYED, []],
  ['a bid that another process settles', [LOST], BRIEF, [lookup('accepted')]],
  ['a bid that stays in doubt', [LOST, ...mute(9)], { ...KEYED, maxAttempts: 1, deadline: 3_000 }, []],
])('the guide shows the trace of %s as it is', async (_, steps, options, recovery) => {
  const tree = await traced(steps, options, recovery);
  expect(textOf('docs/telemetry.md')).toContain(`\`\`\`text\n${tree}\n\`\`\``);
});
