/**
 * What the sandbox can do where the API leaves a choice, by row of the open questions. The first choice of each is the
 * default. Switch one with `startSandbox({ variants: { 'bank-unavailable-status': '403' } })`.
 */
export const choices = {
  /** Status of `API_CLIENT_NOT_ACTIVE` for a client that exists; an unknown one is always a 401. */
  'inactive-client-status': ['401', '403'],
  /** Status of `BANK_UNAVAILABLE`. */
  'bank-unavailable-status': ['402', '403'],
  /** Whether an idempotency conflict comes as a code or as a bare message. */
  'idempotency-conflict-message': ['code', 'message'],
  /** Whether a status batch (A11) of more than 100 lots is refused or answered. */
  'status-batch-size': ['100', 'unbounded'],
} as const satisfies Readonly<Record<string, readonly [string, string, ...string[]]>>;

/** One choice for each row. */
export type Variants = { readonly [Row in keyof typeof choices]: (typeof choices)[Row][number] };

/** Fills in the defaults. Throws a RangeError for a row or a choice that there isn't. */
export function chosen(wanted: Partial<Variants> = {}): Variants {
  for (const [row, choice] of Object.entries(wanted)) {
    const allowed: readonly string[] | undefined = Object.hasOwn(choices, row)
      ? choices[row as keyof Variants]
      : undefined;
    if (allowed === undefined) {
      throw new RangeError(`no variant ${JSON.stringify(row)}; they are ${Object.keys(choices).join(', ')}`);
    }
    if (!allowed.includes(choice)) {
      throw new RangeError(`variant ${row} is ${allowed.map((each) => JSON.stringify(each)).join(' or ')}`);
    }
  }
  return { ...defaults, ...wanted };
}

const defaults = Object.fromEntries(
  Object.entries(choices).map(([row, [first]]) => [row, first]),
) as Variants;
