import type { Move } from './moves.js';
import type { Play, WireRecord } from './play.js';

/** What a sale needs next, as it should be done: by chance alone hardly one would come to its end. */
export function progress(play: Play, { on, how }: Move): Move | undefined {
  const sales = play.all('sale');
  const sale = sales[on % Math.max(1, sales.length)];
  const next = sale === undefined ? undefined : nextOf(play, sale);
  // Sales wait for their decision a while, so that offers come in between.
  if (next?.[0] === 'decideSale' && how % 4 > 0) return undefined;
  // A multiple of 120 is the right way in every move.
  return (
    next && { name: next[0], on: play.all(next[1].kind).indexOf(next[1]), by: 0, how: how - (how % 120) }
  );
}

function nextOf(play: Play, sale: WireRecord): [name: string, on: WireRecord] | undefined {
  const newest = (kind: string) => play.all(kind).findLast(({ data }) => data.sale_id === sale.id);
  if (sale.state === 'pending_bank_approval') return ['decideSale', sale];
  if (sale.state !== 'approved') return undefined;
  if (sale.data.acknowledged_at === null) return ['acknowledge', sale];
  const payment = newest('payment');
  if (payment === undefined) return ['importReceipt', sale];
  if (!play.paid.has(sale.id)) return ['allocate', payment];
  const release = newest('release');
  if (release?.state === 'used') return undefined;
  return release?.state === 'valid' ? ['collect', release] : ['release', sale];
}
