import { ConfigurationError } from '../errors/local.js';

/**
 * Refuses secrets that can't be right, without ever showing them: the commonest support case is a pasted secret
 * with a stray newline. Spaces inside are legal: the secret is used as the string it is, never decoded.
 */
export function checkSecret(secret: unknown, option: string): string {
  if (typeof secret !== 'string') throw new ConfigurationError(option, 'must be a string');
  if (secret.trim() === '') throw new ConfigurationError(option, 'must not be empty or blank');
  if (secret !== secret.trim()) {
    throw new ConfigurationError(option, 'begins or ends with white space (a stray newline from copying?)');
  }
  if (/\p{Cc}/u.test(secret)) throw new ConfigurationError(option, 'contains a control character');
  if (/\p{Cs}/u.test(secret)) throw new ConfigurationError(option, 'contains a lone surrogate');
  return secret;
}

/** Refuses ids that could not travel in a header unchanged. */
export function checkHeaderId(id: unknown, option: string): string {
  if (typeof id !== 'string' || id === '') throw new ConfigurationError(option, 'must be a non-empty string');
  if (!/^[\x21-\x7e]+$/.test(id)) {
    throw new ConfigurationError(option, 'must be visible ASCII without white space');
  }
  return id;
}
