import type { BankClient } from '../client/bank-client.js';
import type { PartnerClient } from '../client/partner-client.js';
import { ConfigurationError } from '../errors/local.js';
import type { Clock } from '../ports/clock.js';
import { systemClock } from '../runtime/timers.js';
import { bidProbes } from './bid-probes.js';
import { catalogueProbes } from './catalogue-probes.js';
import { commandProbes } from './command-probes.js';
import { textAt } from './exchange.js';
import type { HandSigning } from './hand-signed.js';
import { Inquiry } from './inquiry.js';
import { inventoryProbes } from './inventory-probes.js';
import type { Observation, Probe } from './probe.js';
import {
  type DeploymentProfile,
  type LearnedQuestion,
  type LearnedRow,
  type LearnedSettings,
  refuseOther,
  verdictOfRow,
} from './profile.js';
import { profileProbes } from './profile-probes.js';
import { requestProbes } from './request-probes.js';
import { saleProbes } from './sale-probes.js';
import { winnerUpdateProbes } from './winner-update-probes.js';

export interface LearnOptions {
  /** The origin and prefix of the deployment, recorded in the profile. */
  readonly origin: string;
  /** Part of the request quota that may be used; defaults to a tenth. */
  readonly share?: number | undefined;
  /** Milliseconds after which no further request is sent; defaults to 15 minutes. */
  readonly within?: number | undefined;
  /** Also runs probes that place bids and send commands. Refused outside a sandbox. */
  readonly allowWrites?: boolean | undefined;
  /** How to send requests that no method of the client sends. */
  readonly signing?: HandSigning | undefined;
  /** The profile of an earlier run, for questions that only time answers. */
  readonly before?: DeploymentProfile | undefined;
  readonly clock?: Clock | undefined;
  readonly uuid?: (() => string) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called when the last probe has ended, with how many requests were sent, and not sent because time was up. */
  readonly onEnd?: ((requests: { readonly sent: number; readonly unsent: number }) => void) | undefined;
}

/** Every probe. */
export const probes: readonly Probe[] = [
  ...profileProbes,
  ...catalogueProbes,
  ...requestProbes,
  ...saleProbes,
  ...winnerUpdateProbes,
  ...bidProbes,
  ...commandProbes,
  ...inventoryProbes,
];

/**
 * Observes how a deployment answers what the API text leaves open.
 *
 * @throws AuthenticationError if the credentials are not accepted, ConfigurationError for writes outside a sandbox.
 */
export async function learn(
  client: PartnerClient | BankClient,
  options: LearnOptions,
): Promise<DeploymentProfile> {
  const { origin, share = 0.1, within = 900_000, clock = systemClock, signal, allowWrites = false } = options;
  const { uuid = () => crypto.randomUUID() } = options;
  if (!(share > 0 && share <= 1)) {
    throw new ConfigurationError('share', 'must be above 0 and at most 1', { given: share });
  }
  const identity = await readIdentity(client, signal);
  const environment = textAt(identity, 'environment') ?? 'unknown';
  if (allowWrites && environment !== 'sandbox') {
    throw new ConfigurationError('allowWrites', `is only for a sandbox, and this is "${environment}"`);
  }
  if (options.before !== undefined) refuseOther(options.before, { origin, environment });
  const ask = new Inquiry({
    client,
    clock,
    share,
    within,
    uuid,
    signal,
    kind: textAt(identity, 'partner_type'),
    signing: options.signing,
    keys: options.before?.keys ?? [],
  });
  const rows: LearnedRow[] = [];
  let settings: LearnedSettings = {};
  for (const probe of probes) {
    const isAsked =
      (probe.actor ?? ask.actor) === ask.actor &&
      (probe.by === 'reading' || allowWrites || probe.isLater === true);
    const observations: Observation[] = [];
    if (isAsked) for await (const observation of probe.observe(ask)) observations.push(observation);
    const row = learnedRow(probe, observations, new Date(client.clock.now()).toISOString());
    rows.push(row);
    if (row.verdict !== 'still open')
      settings = Object.assign(settings, ...observations.map((one) => one.settings ?? {}));
  }
  options.onEnd?.({ sent: ask.sent, unsent: ask.unsent });
  const keys = [...ask.earlierKeys, ...ask.keys].slice(-MOST_KEYS);
  return {
    version: 1,
    origin,
    environment,
    learnedAt: new Date(client.clock.now()).toISOString(),
    settings,
    keys,
    rows,
  };
}

/** Keys that a profile holds. */
const MOST_KEYS = 20;

/** The profile of the credentials, read leniently: it may itself differ from the API text. */
function readIdentity(client: PartnerClient | BankClient, signal: AbortSignal | undefined): Promise<unknown> {
  return client.request({ method: 'GET', path: '/integration/profile' }, { signal });
}

/** The verdict on a row. It is settled only if each of its questions has one answer. */
function learnedRow(
  { id, by, assumes }: Probe,
  observations: readonly Observation[],
  time: string,
): LearnedRow {
  const questions = Object.entries(assumes).map(([question, assumed]): LearnedQuestion => {
    const answers = observations.filter((one) => one.question === question);
    const findings = [...new Set(answers.map(({ finding }) => finding))];
    const [finding] = findings;
    const verdict =
      finding === undefined || findings.length > 1
        ? 'still open'
        : assumed.includes(finding)
          ? 'confirmed'
          : 'refuted';
    const shownBy = findings.flatMap((one) => {
      const first = answers.find((answer) => answer.finding === one);
      return first === undefined ? [] : [{ finding: one, request: first.request, reply: first.reply }];
    });
    return { question, verdict, findings, observedAt: finding === undefined ? null : time, shownBy };
  });
  return { id, by, verdict: verdictOfRow(questions), questions };
}
