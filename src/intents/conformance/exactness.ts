import type { Entry } from '../entry.js';
import type { Intent } from '../intent.js';
import { expectSame } from './check.js';
import { all, attempt, bodyOf, changeTo, idOf, intentWith, made } from './material.js';
import type { Case, Setting } from './setting.js';

const at = 1_772_431_200_123;

/** What is written as the first entry, and as an added one, is found by every way of reading. */
async function comesBack(setting: Setting, intent: Intent, ...entries: readonly Entry[]): Promise<void> {
  const journal = await setting.open();
  const change = changeTo('unknown', ...entries);
  await journal.create(intent, change, { owner: 'one', ttlMs: 60_000 }, { exclusive: false });
  await journal.append(idOf(intent), 1, change);
  const listed = await all(journal.list({}));
  const found = await journal.find(intent.key);
  for (const stored of [await journal.read(idOf(intent)), ...listed, ...found]) {
    expectSame('the intent', stored?.intent, intent);
    expectSame('its entries', stored?.entries, [...entries, ...entries]);
  }
  expectSame('how often it is found', [listed.length, found.length], [1, 1]);
}

function look(record: Readonly<Record<string, unknown>>): Entry {
  return { type: 'look', at, by: 'A05', found: 'found', record };
}

/** As it comes off the wire, so that `__proto__` is a member like any other. */
function parsed(json: string): Record<string, unknown> {
  return JSON.parse(json) as Record<string, unknown>;
}

const odd = [
  'मारुति स्विफ्ट ₹4,65,000',
  '🚗🏁 e\u0301 \u00e9',
  'quote " backslash \\ slash / \' ` %s',
  'tab\tline\nreturn\r\u2028\u2029 end ',
  '\u0000\u0001\u001f\u007f\ufeff\uffff',
  "'; drop table intents; -- $1 %s ?",
  '{"not":"parsed"}',
  '\\u0000 \\n',
  '',
  ' ',
];

export const exactness = (): readonly Case[] => [
  {
    name: 'exact: text of any script and any character',
    async run(setting) {
      const entries = odd.map((text) => look({ [text]: text, list: [text, [text]] }));
      const reason: Entry = {
        type: 'end',
        attempt: 1,
        at,
        effect: 'refused',
        reason: odd.join(),
        codes: odd,
      };
      await comesBack(setting, intentWith('key-1', { text: odd.join('\n') }), reason, ...entries);
    },
  },
  {
    name: 'exact: text in what intents are found by',
    async run(setting) {
      const making = {
        clientId: 'client "ä" \\',
        environment: "it's ₹",
        dealerId: ' D 1 ',
        buyer: '"b",🚗\n',
      };
      await comesBack(setting, intentWith("batch 7/row:'8' %_?*", { ...making, lot: 'lot_ñ' }), attempt(1));
    },
  },
  {
    name: 'exact: keys are told apart by case, by spaces, and by their last character',
    async run(setting) {
      const journal = await setting.open();
      const long = 'k'.repeat(200);
      const keys = ['key', 'KEY', 'Key', 'key ', ' key', 'ke', `${long}1`, `${long}2`];
      for (const key of keys) await made(journal, intentWith(key, { text: `"${key}"` }), 'unknown');
      for (const key of keys) {
        const found = await journal.find(key);
        expectSame(
          `'${key}'`,
          found.map(({ intent }) => [intent.key, intent.body.text]),
          [[key, `"${key}"`]],
        );
      }
    },
  },
  {
    name: 'exact: members that have names of their own meaning elsewhere',
    run: (setting) =>
      comesBack(
        setting,
        intentWith('key-1'),
        look(
          parsed(
            '{"__proto__":{"a":1},"constructor":{"prototype":null},"toString":"x","hasOwnProperty":0,"length":-1,"then":"y","toJSON":"z","":"empty","0":"zero","$ref":"#"}',
          ),
        ),
        look(parsed('{"deep":[{"__proto__":"text"},{"__proto__":null},{"__proto__":[]}]}')),
      ),
  },
  {
    name: 'exact: numbers, truth values, null, and nothing at all',
    run: (setting) =>
      comesBack(
        setting,
        { ...intentWith('key-1'), createdAt: Number.MAX_SAFE_INTEGER },
        look({
          whole: [0, 1, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
          fractions: [0.1, 0.1 + 0.2, 1 / 3, 465000.5, 5e-324, 1.7976931348623157e308, 1e21, 1e-7],
          text: ['0', '465000.00', '1e3', 'true', 'null'],
          others: [true, false, null, {}, [], [[]], [{}], [null]],
        }),
        look({}),
      ),
  },
  {
    name: 'exact: a body of a megabyte, to the last byte',
    async run(setting) {
      const line = `{"amount":"465000.00", "note": "₹ 🚗 \\u20b9 '\\\\'"}\r\n\t `;
      const text = line.repeat(Math.ceil((1024 * 1024) / new TextEncoder().encode(line).length));
      await comesBack(
        setting,
        { ...intentWith('key-1'), body: bodyOf(`${text}end `) },
        look({ text: text.slice(0, 70_000) }),
      );
    },
  },
  {
    name: 'exact: what is empty, and what is not there',
    async run(setting) {
      const intent = intentWith('key-1', { environment: '', dealerId: '', text: '' });
      const end: Entry = {
        type: 'end',
        attempt: 1,
        at: 0,
        effect: 'not_sent',
        reason: '',
        codes: [],
        record: {},
      };
      await comesBack(setting, intent, end, { type: 'word', at: 0, word: 'abandoned', reason: '' });
    },
  },
  {
    name: 'exact: a body with a file in it, by where the file lies',
    async run(setting) {
      const { sha256, length } = bodyOf('{"content_base64":"AAAA"}');
      const file = { path: '/data/slip – ₹.pdf', before: '{"content_base64":"', after: '"}' };
      await comesBack(setting, { ...intentWith('key-1'), body: { sha256, length, file } }, attempt(1));
    },
  },
  {
    name: 'exact: a bid in a bulk, and entries of every kind with all they can have',
    async run(setting) {
      const intent = intentWith('key-1', { lot: 'lot_1', buyer: 'b-1' });
      const record = { bid_id: 'bid_1', status: 'accepted', amount: '465000.00' };
      const bid = { lot: 'lot_1', amount: '465000', bidderReference: 'b-1', placeBy: at + 0.5 };
      await comesBack(
        setting,
        {
          ...intent,
          method: 'PATCH',
          query: 'a=1&a=2&b=%20',
          bid: { ...bid, row: { batchId: '2026-03-02', rowId: '7' } },
        },
        attempt(1),
        {
          type: 'end',
          attempt: 1,
          at,
          effect: 'in_doubt',
          reason: 'HTTP 409 IDEMPOTENCY_CONFLICT',
          status: 409,
          codes: ['IDEMPOTENCY_CONFLICT'],
          requestId: 'req_1',
          replayed: false,
          keyConflict: true,
          record,
        },
        {
          type: 'look',
          at,
          by: 'A06',
          found: 'accepted',
          observedAt: at + 1,
          reason: 'asked',
          codes: ['A', 'B'],
          record,
        },
        { type: 'word', at, word: 'renewed', reason: 'by hand', placeBy: at + 2 },
      );
    },
  },
];
