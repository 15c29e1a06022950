import { isObject } from '../api/check.js';
import { ConfigurationError } from '../errors/local.js';
import { thrownMessage } from '../errors/thrown.js';
import { keyRetentionOf } from '../store/options.js';

/** Facts of one deployment that change the behaviour of a client. `vehicle-auction-sdk learn` writes it to a file. */
export interface DeploymentSettings {
  /** Base URL of the deployment. A client with another one refuses the profile. */
  readonly origin: string;
  /** Maximum number of lots in one batch of statuses (A11); 100 if absent. */
  readonly statusBatchSize?: number | undefined;
  /** Time for which the service remembers an idempotency key, ms, if less than the default of `keyRetention`. */
  readonly keyRetention?: number | undefined;
}

/** Batch size that the API proposes (A11). */
const STATUS_BATCH = 100;

/**
 * Reads the profile file of `vehicle-auction-sdk learn`, for the client option `profile`.
 *
 * @param text Content of the file.
 * @throws ConfigurationError for anything else.
 */
export function parseProfile(text: string): DeploymentSettings {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    throw new ConfigurationError('profile', `is not JSON: ${thrownMessage(error)}`);
  }
  if (!isObject(file) || file['version'] !== 1 || !isObject(file['settings']))
    throw new ConfigurationError('profile', 'is not a file that "learn" has written');
  const { statusBatchSize, keyRetention } = file['settings'];
  return checkedSettings({ origin: file['origin'], statusBatchSize, keyRetention });
}

/** The settings that apply to a client. @throws ConfigurationError for the profile of another deployment */
export function settingsFor(
  profile: DeploymentSettings | undefined,
  baseUrl: string,
): { readonly statusBatchSize: number; readonly keyRetention: number | undefined } {
  if (profile === undefined) return { statusBatchSize: STATUS_BATCH, keyRetention: undefined };
  if (!isObject(profile)) throw new ConfigurationError('profile', 'must be what parseProfile() returns');
  const { origin, statusBatchSize = STATUS_BATCH, keyRetention } = checkedSettings(profile);
  if (withoutSlash(origin) !== withoutSlash(baseUrl)) {
    throw new ConfigurationError('profile', `is of another deployment than ${baseUrl}`, { given: origin });
  }
  return { statusBatchSize, keyRetention };
}

function checkedSettings(
  given: Readonly<Record<keyof DeploymentSettings, unknown>> | DeploymentSettings,
): DeploymentSettings {
  const { origin, statusBatchSize, keyRetention } = given;
  if (typeof origin !== 'string') throw new ConfigurationError('profile.origin', 'must be a base URL');
  if (statusBatchSize !== undefined && !isBatchSize(statusBatchSize)) {
    const message = `must be a whole number from 1 to ${STATUS_BATCH}`;
    throw new ConfigurationError('profile.statusBatchSize', message, { given: statusBatchSize });
  }
  if (keyRetention !== undefined && typeof keyRetention !== 'number')
    throw new ConfigurationError('profile.keyRetention', 'must be a number', { given: keyRetention });
  return {
    origin,
    ...(statusBatchSize !== undefined && { statusBatchSize }),
    ...(keyRetention !== undefined && { keyRetention: keyRetentionOf(keyRetention) }),
  };
}

function isBatchSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= STATUS_BATCH;
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
