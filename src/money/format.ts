import { fromPaise, toPaise } from './paise.js';

/**
 * Money for people, grouped the Indian way: `"465000"` becomes `"₹4,65,000.00"`. Exact at any size, and the same on
 * every runtime, whatever locale data it was built with.
 *
 * @param amount An INR decimal string, or integer paise as a bigint.
 * @throws InvalidRequestError for a JS number or other text.
 */
export function formatInr(amount: string | bigint): string {
  const paise = typeof amount === 'bigint' ? amount : toPaise(amount);
  const [rupees = '', decimals = ''] = fromPaise(paise < 0n ? -paise : paise).split('.');
  // The last three digits stand together, those before them in pairs: lakh, crore.
  const pairs = rupees.slice(0, -3).replace(/^\d(?=(\d\d)*$)|\d\d/g, '$&,');
  const grouped = pairs + rupees.slice(-3);
  return `${paise < 0n ? '-' : ''}₹${grouped}.${decimals}`;
}
