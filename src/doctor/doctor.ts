import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import type { BankClient } from '../client/bank-client.js';
import type { PartnerClient } from '../client/partner-client.js';
import { responseOf } from '../core/reply/reply.js';
import { ApiError, NotFoundError, RateLimitError } from '../errors/api.js';
import { VehicleAuctionError } from '../errors/base.js';
import { ConnectionError, TimeoutError } from '../errors/connection.js';
import { firstWords } from '../errors/text.js';
import { thrownCode, thrownMessage } from '../errors/thrown.js';

/** Result of one check. */
export interface Check {
  readonly check: string;
  /** `skip`: not checked, because an earlier check failed or reads can't show it. */
  readonly status: 'pass' | 'warn' | 'fail' | 'skip';
  readonly found: string;
  /** The next step; empty if none is needed. */
  readonly nextStep: string;
}

/** Settings that the doctor examines. */
export interface Patient {
  readonly baseUrl: string;
  readonly credentials: { readonly clientId: string; readonly keyId: string; readonly signingSecret: string };
  /** True if requests go through a proxy: a direct connection then shows nothing. */
  readonly usesProxy: boolean;
  readonly makeClient: () => Promise<PartnerClient | BankClient>;
}

/** The offset of the clock; undefined until a reply has shown it. */
type Offset = ReturnType<PartnerClient['clock']['offset']>;

const TLS_MS = 10_000;
const DAY_MS = 86_400_000;
const CLOCK_WARNS_MS = 2_000;
const CLOCK_FAILS_MS = 300_000;

/**
 * Checks everything between this machine and the service. Only reads, and stops when further checks would show nothing
 * more.
 */
export async function* examined(patient: Patient): AsyncGenerator<Check, void, undefined> {
  yield* credentialChecks(patient.credentials);
  const url = addressOf(patient.baseUrl);
  const address = [...addressChecks(url, patient.baseUrl)];
  yield* address;
  if (url === undefined || address.some(({ status }) => status === 'fail')) return;
  if (!patient.usesProxy) {
    const name = await nameCheck(url);
    yield name;
    if (name.status === 'fail') return;
    if (url.protocol === 'https:') yield await certificateCheck(url);
  }
  yield* serviceChecks(patient);
}

function pass(check: string, found: string): Check {
  return { check, status: 'pass', found, nextStep: '' };
}

function fail(check: string, found: string, nextStep: string): Check {
  return { check, status: 'fail', found, nextStep };
}

function warn(check: string, found: string, nextStep: string): Check {
  return { check, status: 'warn', found, nextStep };
}

function* credentialChecks(credentials: Patient['credentials']): Generator<Check> {
  for (const [name, value] of Object.entries(credentials)) {
    const shown = name === 'signingSecret' ? `${value.length} characters` : JSON.stringify(value);
    if (value === '') yield fail(name, 'is empty', `Set ${name} as the bank gave it.`);
    else if (/^(["']).*\1$/s.test(value))
      yield fail(name, `is in quotes (${shown})`, 'Remove the quotes: they are taken as part of it.');
    else if (value !== value.trim())
      yield fail(
        name,
        `begins or ends with white space (${shown})`,
        'Remove the white space, such as a newline at the end of a file.',
      );
    else yield pass(name, shown);
  }
}

function addressOf(baseUrl: string): URL | undefined {
  return URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
}

function* addressChecks(url: URL | undefined, baseUrl: string): Generator<Check> {
  if (url === undefined) {
    yield fail(
      'address',
      JSON.stringify(baseUrl),
      'Set the base URL to an absolute one, such as https://bank.example/api/v1.',
    );
    return;
  }
  const times = url.pathname.match(/\/api\/v1(?=\/|$)/g)?.length ?? 0;
  if (times > 1)
    yield fail('prefix', url.pathname, `"/api/v1" stands in it ${times} times: write it once, at the end.`);
  else if (times === 0) yield fail('prefix', url.pathname, 'The base URL ends in /api/v1: add it.');
  else yield pass('prefix', url.pathname);
  if (url.protocol === 'http:' && isIP(url.hostname) === 0 && url.hostname !== 'localhost')
    yield fail('https', url.origin, 'Use https: anyone on the network could read and change bids.');
}

async function nameCheck({ hostname }: URL): Promise<Check> {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return pass('name', host);
  try {
    const found = await lookup(host, { all: true });
    return pass('name', found.map(({ address }) => address).join(', '));
  } catch (error) {
    const next = 'Check the host in the base URL, and name resolution on this machine.';
    return fail('name', `${host} can't be resolved (${thrownCode(error) ?? thrownMessage(error)})`, next);
  }
}

/** Checks the certificate that the service presents. The calls show whether the client accepts it. */
function certificateCheck({ hostname, port }: URL): Promise<Check> {
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const servername = isIP(host) === 0 ? host : '';
    const socket = connect({
      host,
      port: Number(port || 443),
      servername,
      rejectUnauthorized: false,
      timeout: TLS_MS,
    });
    const end = (check: Check) => {
      socket.destroy();
      resolve(check);
    };
    socket.once('timeout', () =>
      end(
        fail('certificate', 'no answer within 10 s', 'Check firewalls between this machine and the service.'),
      ),
    );
    socket.once('error', (error) =>
      end(
        fail(
          'certificate',
          firstWords(error.message, 120),
          'Check that the base URL names an https port, and that nothing cuts it off.',
        ),
      ),
    );
    socket.once('secureConnect', () => {
      const { valid_to: until, issuer } = socket.getPeerCertificate();
      const left = Math.floor((Date.parse(until) - Date.now()) / DAY_MS);
      const found = `issued by ${firstWords(String(issuer?.O ?? issuer?.CN ?? 'nobody'), 60)}, valid until ${until}`;
      if (left < 0)
        end(fail('certificate', found, 'It has expired: tell the bank, or check the clock of this machine.'));
      else if (left < 14) end(warn('certificate', found, `It expires in ${left} days: tell the bank.`));
      else end(pass('certificate', found));
    });
  });
}

async function* serviceChecks({ makeClient }: Patient): AsyncGenerator<Check, void, undefined> {
  let client: PartnerClient | BankClient;
  try {
    client = await makeClient();
  } catch (error) {
    yield checkOfError('settings', error);
    return;
  }
  try {
    const profile = await client.integration.profile({ maxAttempts: 1, deadline: 20_000 });
    yield pass('connection', 'the service answers');
    yield pass('signature', 'accepted: headers, path and query arrive unchanged');
    const { headers, cached, timings } = responseOf(profile);
    yield cached === undefined
      ? pass('caches', 'none between here and the service')
      : warn(
          'caches',
          cached,
          'A cache answers reads: ask the bank or your network team to exclude /api/v1.',
        );
    const encoding = headers['content-encoding'];
    yield encoding === undefined
      ? pass('compression', 'replies come as the service sent them')
      : warn(
          'compression',
          String(encoding),
          'A gateway compresses replies unasked. They are read correctly.',
        );
    yield quotaCheck(headers);
    yield pass('time of a request', `${Math.round(timings.total - timings.queued)} ms`);
    for (const { level, what, found, nextStep } of await client.verify({ maxAttempts: 1 })) {
      if (what === 'clock') continue;
      const status = level === 'ok' ? 'pass' : level === 'note' ? 'warn' : 'fail';
      yield { check: what, status, found: firstWords(found, 200), nextStep };
    }
    yield clockCheck(client.clock.offset());
  } catch (error) {
    const offset = client.clock.offset();
    const failed = checkOfError('service', error, offset);
    yield failed;
    yield* egressCheck(error);
    if (offset !== undefined && failed.check !== 'clock') yield clockCheck(offset);
  } finally {
    await client.close();
  }
  const unseen = 'only a command can show it';
  yield { check: 'Idempotency-Key', status: 'skip', found: unseen, nextStep: '' };
  yield { check: 'upload size', status: 'skip', found: unseen, nextStep: '' };
}

function quotaCheck(headers: Readonly<Record<string, string | string[] | undefined>>): Check {
  const limit = Number(headers['x-ratelimit-limit']);
  const remaining = Number(headers['x-ratelimit-remaining']);
  if (!(limit > 0))
    return { check: 'quota', status: 'skip', found: 'the service sends no rate-limit headers', nextStep: '' };
  const used = limit - remaining;
  const found = `${used} of ${limit} requests of this minute are used`;
  if (used <= limit / 2) return pass('quota', found);
  return warn(
    'quota',
    found,
    'Another program uses these credentials: give all one store, or lower `quota.limit`.',
  );
}

function clockCheck(offset: Offset): Check {
  const { ms, uncertainty } = offset ?? { ms: 0, uncertainty: 0 };
  const off = Math.abs(ms);
  const found = `${Math.round(off / 100) / 10} s ${ms > 0 ? 'behind' : 'ahead of'} server time`;
  const next = 'Synchronise the clock of this machine (NTP).';
  if (off > CLOCK_FAILS_MS) return fail('clock', found, next);
  return off > CLOCK_WARNS_MS + uncertainty
    ? warn('clock', found, next)
    : pass('clock', `${Math.round(off)} ms from server time`);
}

/** A failed call as a check: its error names the cause. */
function checkOfError(check: string, error: unknown, offset?: Offset): Check {
  if (!(error instanceof VehicleAuctionError))
    return fail(check, thrownMessage(error), 'Correct it, then call again.');
  const found = firstWords(
    error.message.replace(error.nextStep, '').replace(/^[\w.]+( \(A\d+\))?: /, ''),
    240,
  );
  return fail(failedCheck(check, error, offset), found, stepAfter(error, offset));
}

function failedCheck(check: string, error: VehicleAuctionError, offset: Offset): string {
  if (error instanceof ConnectionError) return error.reason;
  if (error instanceof TimeoutError) return 'connection';
  if (error instanceof RateLimitError) return 'quota';
  if (error instanceof NotFoundError) return 'address';
  if (!(error instanceof ApiError)) return check;
  return isLate(error) && !isInTime(offset) ? 'clock' : (error.code ?? check);
}

/** The address that the service sees, if its refusal names one: behind NAT or a proxy this machine can't know it. */
function* egressCheck(error: unknown): Generator<Check> {
  if (!(error instanceof ApiError) || !error.codes.includes('IP_NOT_ALLOWED')) return;
  const words = (error.serviceMessage ?? '')
    .split(/[^\da-fA-F.:]+/)
    .map((word) => word.replace(/[.:]+$/, ''));
  const address = words.find((word) => isIP(word) !== 0);
  yield address === undefined
    ? { check: 'egress address', status: 'skip', found: 'the service does not name it', nextStep: '' }
    : fail('egress address', address, `Ask the bank to approve ${address}.`);
}

function isLate(error: VehicleAuctionError): boolean {
  return error instanceof ApiError && error.codes.includes('TIMESTAMP_EXPIRED');
}

function isInTime(offset: Offset): boolean {
  return offset !== undefined && Math.abs(offset.ms) <= CLOCK_FAILS_MS;
}

/** The doctor knows what left this machine, so it can say more than the error. */
function stepAfter(error: VehicleAuctionError, offset: Offset): string {
  const codes = error instanceof ApiError ? error.codes : [];
  if (isLate(error) && isInTime(offset)) return changedOnTheWay('X-Timestamp');
  if (codes.includes('INVALID_NONCE')) return changedOnTheWay('X-Nonce');
  if (codes.includes('INVALID_SIGNATURE'))
    return `${error.nextStep} The usual causes, in order: a secret of another key or environment; a proxy that changes the path, the query or signed headers; a base URL with another prefix than the service signs. "vehicle-auction-sdk explain FILE" finds the mistake in a request as it arrived.`;
  if (codes.includes('API_CLIENT_NOT_ACTIVE') || codes.includes('KEY_REVOKED'))
    return `${error.nextStep} If the bank finds them correct, a proxy removes X-Client-ID or X-Key-ID.`;
  if (error instanceof NotFoundError) return 'Check the host and the path of the base URL.';
  return error.nextStep;
}

function changedOnTheWay(header: string): string {
  return `It was correct when it left this machine, so a proxy or gateway removes or changes ${header}: ask your network team or the bank.`;
}
