import * as z from 'zod';
import { scopes } from '../../api/scopes.js';
import type { SandboxSeed } from './seed.js';

/** Refuses what is no seed with a RangeError that names every wrong field, and what it may hold. */
export function checkSeed(value: unknown): asserts value is SandboxSeed {
  const { error } = seed.safeParse(value);
  if (error === undefined) return;
  const lines = flattened(error.issues).map(({ path, message }) => `  ${nameOf(path)} ${message}`);
  throw new RangeError(`this is no seed of a sandbox:\n${lines.join('\n')}`);
}

/** The name of a field in messages, such as `seed.auctions[0].lots`. */
export function nameOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (name, part) => name + (typeof part === 'number' ? `[${part}]` : `.${String(part)}`),
    'seed',
  );
}

/** The shape of a seed as JSON Schema, for editors. */
export function seedJsonSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(seed, { io: 'input' });
}

/** An object with these fields and no others. */
function fields<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `has no field ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}; its fields are ${names}`
        : `must be an object with the fields ${names}`,
  });
}

/** One of these words. */
function word<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, `must be ${words.map((each) => JSON.stringify(each)).join(' or ')}`);
}

function text(longest: number) {
  const rule = `must be text of 1 to ${longest} characters`;
  return z.string(rule).min(1, rule).max(longest, rule);
}

function shaped(pattern: RegExp, rule: string) {
  return z.string(`must be ${rule}`).regex(pattern, `must be ${rule}`);
}

function whole(least: number, most: number) {
  const rule = `must be a whole number from ${least} to ${most}`;
  return z.int(rule).min(least, rule).max(most, rule);
}

const yesOrNo = z.boolean('must be true or false');
const money = shaped(/^\d{1,12}(\.\d{1,2})?$/, 'an INR decimal string such as "450000" or "450000.50"');
const momentRule = 'must be minutes from the start, such as -120, or an ISO 8601 date-time with a zone';
const moment = z.union(
  [z.number(), z.string().regex(/^\d{4}-\d{2}-\d{2}T.+(Z|[+-]\d{2}:?\d{2})$/i, momentRule)],
  momentRule,
);
const scalar = z.union(
  [z.string(), z.number(), z.boolean(), z.null()],
  'must be text, a number, true, false or null',
);

const partners = ['dealer', 'platform', 'aggregator', 'rival'] as const;

const vehicle = fields({
  registration_number: text(40).optional(),
  make: text(120).optional(),
  model: text(120).optional(),
  year: whole(1900, 2200).optional(),
  region: text(120).optional(),
  vehicle_type: text(120).optional(),
  category: text(120).optional(),
  yard: text(240).nullable().optional(),
  title: text(240).optional(),
  bank_reference: text(120).optional(),
  condition: text(240).optional(),
});

const bid = fields({
  by: word(partners),
  amount: money,
  bidder_reference: shaped(/^[A-Za-z0-9_-]{1,120}$/, '1 to 120 letters, digits, "_" and "-"').optional(),
});

const lot = fields({
  id: shaped(/^lot_[A-Za-z0-9_-]{1,60}$/, 'a lot id such as "lot_swift1"').optional(),
  starting_price: money.optional(),
  vehicle: vehicle.optional(),
  bank_fields: z.record(z.string(), scalar, 'must be an object of labels and values').optional(),
  public_fields: z
    .record(
      z.string(),
      fields({
        label: text(240),
        value: z.union([z.string(), z.number(), z.null()], 'must be text, a number or null'),
      }),
      'must be an object of field ids, each with label and value',
    )
    .optional(),
  photos: whole(0, 50).optional(),
  documents: whole(0, 50).optional(),
  withdrawn: yesOrNo.optional(),
  bids: z.array(bid, 'must be a list of bids').optional(),
});

const auction = fields({
  label: shaped(/^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$/, '1 to 60 letters, digits, ".", "_" and "-"'),
  id: shaped(/^auc_[A-Za-z0-9_-]{1,60}$/, 'an auction id such as "auc_spring"').optional(),
  name: text(240),
  bid_type: word(['open', 'closed']),
  legacy: yesOrNo.optional(),
  increment: money,
  opens: moment,
  closes: moment,
  lots: z.union(
    [whole(0, 20_000), z.array(lot)],
    'must be a number of lots from 0 to 20000, or a list of lots',
  ),
  assigned: z
    .union(
      [z.boolean(), z.array(word(partners))],
      `must be true, false, or a list out of ${partners.join(', ')}`,
    )
    .optional(),
  bank: word(['bank', 'otherBank']).optional(),
  cancelled: yesOrNo.optional(),
});

const identifier = shaped(/^[A-Za-z0-9._-]{1,120}$/, '1 to 120 letters, digits, ".", "_" and "-"');

const credentials = fields({
  clientId: identifier.optional(),
  keyId: identifier.optional(),
  signingSecret: shaped(/^[\x21-\x7e]{16,256}$/, '16 to 256 ASCII characters without spaces').optional(),
  dealerId: text(32).nullable().optional(),
  scopes: z.array(word(scopes), 'must be a list of scopes').optional(),
  facts: z.record(z.string(), z.unknown(), 'must be an object of facts').optional(),
});

const seed = fields({
  $schema: z.string('must be text').optional(),
  like: word(['small', 'busy']).optional(),
  random: z.int('must be a whole number').optional(),
  auctions: z.array(auction, 'must be a list of auctions').optional(),
  credentials: fields({
    dealer: credentials.optional(),
    platform: credentials.optional(),
    aggregator: credentials.optional(),
    rival: credentials.optional(),
    bank: credentials.optional(),
    bankChecker: credentials.optional(),
    otherBank: credentials.optional(),
  }).optional(),
});

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Of a choice between shapes, what is wrong inside the shape that was meant; else that it is none of them. */
function flattened(issues: readonly z.core.$ZodIssue[], at: readonly PropertyKey[] = []): Issue[] {
  return issues.flatMap((issue) => {
    const path = [...at, ...issue.path];
    const meant =
      issue.code === 'invalid_union'
        ? issue.errors.find((branch) => branch.every((each) => each.path.length > 0))
        : undefined;
    return meant === undefined ? [{ path, message: issue.message }] : flattened(meant, path);
  });
}
