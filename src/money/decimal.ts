import { Big, type BigConstructor } from 'big.js';

/** The constructor of big.js. */
export const loadBig = (): BigConstructor => Big;
