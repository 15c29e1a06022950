import { toPaise } from 'vehicle-auction-sdk';

/** How much one run may decide: approvals and offers both count. */
export class Caps {
  #count: number;
  #paise: bigint | undefined;

  /** @param rupees INR decimal string. Without a cap there is no limit. */
  constructor({
    count,
    rupees,
  }: { readonly count?: number | undefined; readonly rupees?: string | undefined }) {
    this.#count = count ?? Number.POSITIVE_INFINITY;
    this.#paise = rupees === undefined ? undefined : toPaise(rupees, '--max-rupees');
  }

  /** Takes an amount out of what is left; false, and nothing taken, where it doesn't fit. */
  take(amount: string): boolean {
    const paise = toPaise(amount);
    if (this.#count < 1 || (this.#paise !== undefined && this.#paise < paise)) return false;
    this.#move(-1, -paise);
    return true;
  }

  /** Puts back what was taken for something that has certainly not happened. */
  giveBack(amount: string): void {
    this.#move(1, toPaise(amount));
  }

  #move(count: number, paise: bigint): void {
    this.#count += count;
    if (this.#paise !== undefined) this.#paise += paise;
  }
}
