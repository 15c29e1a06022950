/** Integer paise of an INR decimal string; throws on anything else. */
export function paise(decimal: string): bigint {
  const match = /^(\d{1,15})(?:\.(\d{1,2}))?$/.exec(decimal);
  if (match === null) throw new RangeError(`not an INR decimal string: ${JSON.stringify(decimal)}`);
  return BigInt(match[1] ?? '0') * 100n + BigInt((match[2] ?? '').padEnd(2, '0'));
}

/** INR decimal string of integer paise, always with two decimals. */
export function rupees(amount: bigint): string {
  return `${amount / 100n}.${(amount % 100n).toString().padStart(2, '0')}`;
}
