import { ConfigurationError } from '../errors/local.js';

/**
 * The secrets of a receiver as a list, checked and never shown. White space around a secret is left alone: the
 * secret is the string that it is, and a mismatch hints at it.
 *
 * @throws ConfigurationError for none, and for one that is no string, empty, blank or not well-formed Unicode.
 */
export function secretsOf(secrets: string | readonly string[]): readonly string[] {
  if (!Array.isArray(secrets)) return [usable(secrets, 'secrets')];
  if (secrets.length === 0) throw new ConfigurationError('secrets', 'must hold at least one secret');
  return Array.from(secrets, (secret: unknown, index) => usable(secret, `secrets[${index}]`));
}

function usable(secret: unknown, option: string): string {
  if (typeof secret !== 'string') throw new ConfigurationError(option, 'must be a string');
  if (secret.trim() === '') throw new ConfigurationError(option, 'must not be empty or blank');
  if (/\p{Cs}/u.test(secret)) throw new ConfigurationError(option, 'contains a lone surrogate');
  return secret;
}
