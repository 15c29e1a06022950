import type { Call, Caller } from '../ports/caller.js';
import { cursorPagerOf } from './cursor-pager.js';
import { pagerOf } from './pager.js';

/** Adds the list methods to a call function. */
export function callerOf(call: Call): Caller {
  return Object.assign(call, {
    pager: <T>(...list: Parameters<Caller['pager']>) => pagerOf<T>(call, ...list),
    cursorPager: <T>(...list: Parameters<Caller['cursorPager']>) => cursorPagerOf<T>(call, ...list),
  });
}
