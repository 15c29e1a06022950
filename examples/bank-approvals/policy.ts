import { formatInr, type Policy, type PolicyAnswer, toPaise } from 'vehicle-auction-sdk';
import type { Settings } from './settings.js';

/** Reserve prices by lot id, INR decimal strings. */
export type Reserves = ReadonlyMap<string, string>;

/**
 * The bank's policy. It is a pure function, so you can test it in isolation. The service receives the reasons of
 * approvals and offers, so they don't name the reserve.
 */
export function policyOf(settings: Settings, reserves: Reserves): Policy {
  return ({ sale, offer, offered, now }) => {
    const { amount, lot_id: lot = '' } = sale.data ?? {};
    const reserve = reserves.get(lot);
    if (amount === undefined) return hold('the sale names no amount');
    if (reserve === undefined) return hold('no reserve is known for its lot');
    if (offer === 'unreadable') return hold('its offer can not be read');
    const terms = {
      action: 'approve',
      dueAt: daysAfter(now, settings.daysToPay),
      payeeInstructions: settings.payeeInstructions,
    } as const;

    if (offer !== undefined) {
      const { state, validUntil } = offer;
      if (!(Date.parse(validUntil) > now)) return hold(`its offer lapsed at ${validUntil}`);
      if (state === 'open') return { action: 'wait', reason: `the buyer has until ${validUntil}` };
      if (state !== 'accepted') return hold(`its offer is ${state}`);
      if (toPaise(offer.amount) < toPaise(reserve)) return hold('the accepted offer is below the reserve');
      return { ...terms, reason: 'Offer accepted' };
    }

    const missing = toPaise(reserve) - toPaise(amount);
    if (missing <= 0n) return { ...terms, reason: 'Highest bid', termsVersion: settings.termsVersion };
    const short = `${formatInr(amount)}, where the reserve is ${formatInr(reserve)}`;
    if (missing > toPaise(settings.margin)) return hold(`the bid is ${short}`);
    if (offered) return hold(`the bid is ${short}, and the buyer did not take the offer`);
    return {
      action: 'offer',
      reason: 'The bid does not reach what the bank can accept',
      amount: reserve,
      termsVersion: settings.termsVersion,
      validUntil: daysAfter(now, settings.daysToAnswer),
    };
  };
}

/** ISO 8601, from server time in Unix ms. */
export function daysAfter(now: number, days: number): string {
  return new Date(now + days * 86_400_000).toISOString();
}

/** `YYYY-MM-DD`, the day that people in India have at a moment: until 5:30 it is still the day before in UTC. */
export function dayInIndia(moment: number | string): string {
  return new Date(moment).toLocaleDateString('sv-SE', { timeZone: 'Asia/Kolkata' });
}

function hold(reason: string): PolicyAnswer {
  return { action: 'hold', reason };
}
