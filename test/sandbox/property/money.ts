/** Integer paise of an INR decimal string. */
export function paise(text: string): bigint {
  const [rupees = '0', fraction = ''] = text.split('.');
  return BigInt(rupees) * 100n + BigInt(fraction.padEnd(2, '0'));
}

/** An INR decimal string of integer paise. */
export function rupees(amount: bigint): string {
  return `${amount / 100n}.${String(amount % 100n).padStart(2, '0')}`;
}
