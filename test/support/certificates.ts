import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, textOf } from './sources.js';

/** What a TLS server shows. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

/** Certificate authorities, as PEM: the first signed both identities, the second neither. */
export const authority = pem('authority.pem');
export const stranger = pem('stranger.pem');

/** For localhost, bank.test and 127.0.0.1. */
export const server: Identity = { cert: pem('server.pem'), key: pem('server.key.pem') };

/** For another name. */
export const elsewhere: Identity = { cert: pem('elsewhere.pem'), key: pem('elsewhere.key.pem') };

/** Signed by their own key, for the names of `server`: one valid, one expired in 2021. */
export const alone: Identity = { cert: pem('alone.pem'), key: pem('alone.key.pem') };
export const expired: Identity = { cert: pem('expired.pem'), key: pem('alone.key.pem') };

/** `alone` as PKCS#12 files with the passphrase swordfish: one of today, one with the encryption of old (RC2). */
export const aloneFile = readFileSync(join(root, 'test/support/certificates/alone.p12'));
export const oldFile = readFileSync(join(root, 'test/support/certificates/old.p12'));

function pem(name: string): string {
  return textOf(`test/support/certificates/${name}`);
}
