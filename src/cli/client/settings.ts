import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { ClientOptions } from '../../client/options.js';
import { ConfigurationError } from '../../errors/local.js';
import { StoreError } from '../../errors/store.js';
import type { Store } from '../../store/store.js';
import { given } from '../given.js';
import type { Terminal } from '../terminal.js';
import { messageOf, UsageError, wholeNumber } from '../usage-error.js';

/** Flags of every command that uses the service. */
export interface ConnectionFlags {
  readonly env?: string;
  readonly profile?: string;
  readonly profiles?: string;
  readonly store?: string;
  readonly json?: boolean;
  readonly yes?: boolean;
}

/** Where a secret is, in a profile. Never the secret itself. */
type SecretSource =
  | { readonly env: string }
  | { readonly file: string }
  | { readonly command: readonly string[] }
  | { readonly prompt: true };

/** Text fields of a profile, and their variables without `VEHICLE_AUCTION_`. */
const fields = {
  actor: 'ACTOR',
  baseUrl: 'BASE_URL',
  environment: 'ENVIRONMENT',
  clientId: 'CLIENT_ID',
  keyId: 'KEY_ID',
  partnerType: 'PARTNER_TYPE',
  dealerId: 'DEALER_ID',
  account: 'ACCOUNT',
  store: 'STORE',
  proxy: 'PROXY',
  /** Requests per minute, if the bank allows another number than 120. */
  quotaLimit: 'QUOTA_LIMIT',
  /** Path of a PEM file. */
  ca: 'CA',
} as const;

/** One entry of the profile file. */
type Profile = { readonly [Field in keyof typeof fields]?: string } & { readonly secret?: SecretSource };

export interface Settings {
  readonly actor: 'bank' | 'partner';
  readonly partnerType: string | undefined;
  readonly dealerId: string | undefined;
  readonly credentials: { readonly clientId: string; readonly keyId: string; readonly signingSecret: string };
  readonly options: ClientOptions;
  /** Path or URL of the store. */
  readonly storePlace: string | undefined;
  /** The path of a SQLite file that is no store yet, or does not exist. */
  readonly newStore: string | undefined;
}

/** Asks for a secret without showing it; undefined without a terminal. */
export type AskSecret = ((question: string) => Promise<string>) | undefined;

/** Settings of a client from a profile, or from variables and a file of them. @throws UsageError, ConfigurationError */
export async function settingsOf(
  flags: ConnectionFlags,
  { env: variables = process.env, ask }: Terminal,
): Promise<Settings> {
  const { env, profile } = sourcesOf(flags, variables);
  if (flags.profile === undefined) needVariables(env);
  const {
    actor = 'partner',
    partnerType,
    dealerId,
    environment,
    baseUrl,
    account,
    proxy,
    ca,
    quotaLimit,
  } = profile;
  if (actor !== 'bank' && actor !== 'partner')
    throw new ConfigurationError('actor', 'must be "bank" or "partner"', { given: actor });
  if (environment !== 'sandbox' && environment !== 'production') {
    throw new ConfigurationError('environment', 'must be "sandbox" or "production"', {
      given: environment ?? 'none',
    });
  }
  const { clientId = '', keyId = '' } = profile;
  const signingSecret = await secretOf(profile.secret, env, ask && ((question) => ask(question, true)));
  const credentials = { clientId, keyId, signingSecret };
  const store = flags.store ?? profile.store;
  const isNew = store !== undefined && !(await isStore(store));
  const options: ClientOptions = {
    environment,
    credentials,
    ...given({ baseUrl, account, proxy }),
    ...(quotaLimit !== undefined && { quota: { limit: wholeNumber('quotaLimit', String(quotaLimit)) } }),
    ...(ca !== undefined && { tls: { ca: readText(ca) } }),
    ...(store !== undefined && { store: await storeAt(store) }),
  };
  const newStore = isNew ? store : undefined;
  return { actor, partnerType, dealerId, credentials, options, storePlace: store, newStore };
}

/** @throws ConfigurationError that names every variable that is missing */
function needVariables(env: NodeJS.ProcessEnv): void {
  const names = ['ENVIRONMENT', 'BASE_URL', 'CLIENT_ID', 'KEY_ID', 'SIGNING_SECRET'];
  const missing = names.map((name) => `VEHICLE_AUCTION_${name}`).filter((name) => !env[name]);
  if (missing.length === 0) return;
  const step = 'Set them in the environment or in the file of --env, or use --profile.';
  throw new ConfigurationError('settings', `lack ${missing.join(', ')}`, { nextStep: step });
}

/** Opens the existing store of the settings. Reads no secret. @throws UsageError, ConfigurationError */
export async function storeOf(flags: ConnectionFlags, variables: NodeJS.ProcessEnv): Promise<Store> {
  const place = storeLocation(flags, variables);
  if (!(await isStore(place))) throw noStoreAt(place);
  return storeAt(place);
}

/** The path or URL of the existing store of the settings. @throws UsageError, ConfigurationError */
export function storeLocation(flags: ConnectionFlags, variables: NodeJS.ProcessEnv): string {
  const place = flags.store ?? sourcesOf(flags, variables).profile.store;
  if (place === undefined) throw noStore();
  if (!isPostgres(place) && !existsSync(place)) throw noStoreAt(place);
  return place;
}

export function noStore(): ConfigurationError {
  const where = '--store, VEHICLE_AUCTION_STORE or the profile';
  return new ConfigurationError('store', `must be given for this command: ${where}`);
}

/** SQLite creates a missing file, and an empty list would look like good news. */
export function noStoreAt(place: string): UsageError {
  return new UsageError(`There is no store at ${place}. Give the path that your programs use.`);
}

function sourcesOf(flags: ConnectionFlags, variables: NodeJS.ProcessEnv) {
  const env = flags.env === undefined ? variables : { ...variables, ...parsedVariables(flags.env) };
  const profile: Profile =
    flags.profile === undefined ? fromVariables(env) : profileNamed(flags.profile, flags, env);
  return { env, profile };
}

function fromVariables(env: NodeJS.ProcessEnv): Profile {
  const read = Object.entries(fields).map(([field, name]) => [
    field,
    env[`VEHICLE_AUCTION_${name}`] || undefined,
  ]);
  return { ...given(Object.fromEntries(read)), secret: { env: 'VEHICLE_AUCTION_SIGNING_SECRET' } };
}

function profileNamed(name: string, { profiles }: ConnectionFlags, env: NodeJS.ProcessEnv): Profile {
  const path =
    profiles ?? env['VEHICLE_AUCTION_PROFILES'] ?? join(homedir(), '.vehicle-auction', 'profiles.json');
  const all: unknown = JSON.parse(readText(path));
  // Another user could change `baseUrl` and receive the requests.
  if (process.platform !== 'win32' && (statSync(path).mode & 0o022) !== 0)
    throw new ConfigurationError('profiles', `${path} can be changed by others; run chmod 600 ${path}`);
  const found: unknown = typeof all === 'object' && all !== null ? Reflect.get(all, name) : undefined;
  if (typeof found !== 'object' || found === null) {
    const names = Object.keys(Object(all)).join(', ');
    throw new UsageError(`${path} has no profile ${JSON.stringify(name)}. Its profiles: ${names}`);
  }
  const known = [...Object.keys(fields), 'secret'];
  const unknown = Object.keys(found).find((field) => !known.includes(field));
  if (unknown !== undefined) {
    const hint = /secret/i.test(unknown) ? '. A secret is never in this file: see "secret"' : '';
    throw new ConfigurationError(
      `profiles.${name}.${unknown}`,
      `is not known; fields: ${known.join(', ')}${hint}`,
    );
  }
  return found;
}

async function secretOf(
  source: SecretSource | undefined,
  env: NodeJS.ProcessEnv,
  ask: AskSecret,
): Promise<string> {
  const missing = (where: string) =>
    new ConfigurationError('secret', `must be given: ${where}. A flag is never read, because others see it`);
  if (source === undefined)
    throw missing('as { env }, { file }, { command } or { prompt: true } of the profile');
  if ('env' in source) {
    const value = env[source.env];
    if (!value) throw missing(`set ${source.env}`);
    return value;
  }
  if ('file' in source) return readText(source.file).replace(/\r?\n$/, '');
  if ('command' in source) {
    const { execFileSync } = await import('node:child_process');
    const [command = '', ...args] = source.command;
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['inherit', 'pipe', 'inherit'] }).replace(
      /\r?\n$/,
      '',
    );
  }
  if (ask === undefined) throw missing('on a terminal, which this is not');
  return ask('Signing secret: ');
}

export function isPostgres(place: string): boolean {
  return /^postgres(ql)?:\/\//.test(place);
}

/** Whether a path or URL holds a store. Opening one would add its tables to any SQLite database. */
async function isStore(place: string): Promise<boolean> {
  if (isPostgres(place)) return true;
  if (!existsSync(place)) return false;
  const { isStoreFile } = await import('../../sqlite/file.js');
  try {
    return isStoreFile(place);
  } catch (error) {
    // The command reports a damaged file when it uses it, or restores it.
    if (error instanceof StoreError) return true;
    throw error;
  }
}

async function storeAt(place: string): Promise<Store> {
  if (isPostgres(place)) {
    const { postgresStore } = await import('../../postgres/index.js');
    return postgresStore({ connectionString: place });
  }
  const { sqliteStore } = await import('../../sqlite/index.js');
  return sqliteStore(place);
}

function parsedVariables(path: string): Record<string, string | undefined> {
  return parseEnv(readText(path));
}

/** @throws UsageError if the file can't be read */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${path} can't be read: ${messageOf(error)}`);
  }
}
