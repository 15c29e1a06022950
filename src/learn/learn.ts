import { BankClient } from '../client/bank-client.js';
import type { PartnerClient } from '../client/partner-client.js';
import { ConfigurationError } from '../errors/local.js';
import type { Clock } from '../ports/clock.js';
import { systemClock } from '../runtime/timers.js';
import { Inquiry } from './inquiry.js';
import type { Observation, Probe } from './probe.js';
import { textAt } from './probe.js';
import { type DeploymentProfile, type LearnedQuestion, type LearnedRow, verdictOfRow } from './profile.js';
import { readingProbes } from './reading.js';

export interface LearnOptions {
  /** The origin and prefix of the deployment, recorded in the profile. */
  readonly origin: string;
  /** Part of the request quota that may be used; defaults to a tenth. */
  readonly share?: number | undefined;
  /** Milliseconds after which no further request is sent; defaults to 15 minutes. */
  readonly within?: number | undefined;
  /** Also runs probes that place bids and send commands. Refused outside a sandbox. */
  readonly allowWrites?: boolean | undefined;
  readonly clock?: Clock | undefined;
  readonly uuid?: (() => string) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called after each row. */
  readonly onRow?: ((row: LearnedRow) => void) | undefined;
}

/** Every probe. */
export const probes: readonly Probe[] = [...readingProbes];

/**
 * Observes how a deployment answers what the API text leaves open.
 *
 * @throws AuthenticationError where the credentials are not accepted, ConfigurationError for writes outside a sandbox.
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
  const environment = await environmentOf(client, signal);
  if (allowWrites && environment !== 'sandbox') {
    throw new ConfigurationError('allowWrites', `is only for a sandbox, and this is "${environment}"`);
  }
  const ask = new Inquiry({ client, clock, share, within, uuid, signal });
  const actor = client instanceof BankClient ? 'bank' : 'partner';
  const rows: LearnedRow[] = [];
  for (const probe of probes) {
    const isAsked = (probe.actor ?? actor) === actor && (probe.by === 'reading' || allowWrites);
    const observations: Observation[] = [];
    if (isAsked) for await (const observation of probe.observe(ask)) observations.push(observation);
    const row = rowOf(probe, observations, new Date(client.clock.now()).toISOString());
    rows.push(row);
    options.onRow?.(row);
  }
  return { version: 1, origin, environment, learnedAt: new Date(client.clock.now()).toISOString(), rows };
}

/** The environment as the service calls it. Read leniently: the profile may itself differ from the API text. */
async function environmentOf(client: PartnerClient | BankClient, signal: AbortSignal | undefined) {
  const profile = await client.request({ method: 'GET', path: '/integration/profile' }, { signal });
  return textAt(profile, 'environment') ?? 'unknown';
}

/** The verdict on a row. It is settled only if each of its questions has one answer. */
function rowOf({ id, by, assumes }: Probe, observations: readonly Observation[], time: string): LearnedRow {
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
