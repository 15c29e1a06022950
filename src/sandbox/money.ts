/** Parses an INR decimal string to integer paise. Throws a RangeError for anything else. */
export function paise(decimal: string): bigint {
  const match = /^(\d{1,15})(?:\.(\d{1,2}))?$/.exec(decimal);
  if (match === null)
    throw new RangeError(
      `${JSON.stringify(decimal)} is not an INR decimal string. Use digits with up to two decimals, such as "450000.50".`,
    );
  return BigInt(match[1] ?? '0') * 100n + BigInt((match[2] ?? '').padEnd(2, '0'));
}

/** Formats integer paise as an INR decimal string with two decimals. */
export function rupees(amount: bigint): string {
  return `${amount / 100n}.${(amount % 100n).toString().padStart(2, '0')}`;
}
