import { ConfigurationError } from '../errors/local.js';
import { thrownMessage } from '../errors/thrown.js';
import { isRecord } from './exchange.js';
import type { PlacedKey } from './inquiry.js';

/** How a row of `docs/unknowns.json` can be observed on a deployment. */
export type By = 'reading' | 'writing';

/** `still open`: nothing was observed, or observations contradict each other. */
export type Verdict = 'confirmed' | 'refuted' | 'still open';

/** One question of a row. */
export interface LearnedQuestion {
  readonly question: string;
  /** Relative to what the SDK assumes meanwhile. */
  readonly verdict: Verdict;
  /** Different answers; more than one contradict each other. */
  readonly findings: readonly string[];
  /** Server time; null if nothing was observed. */
  readonly observedAt: string | null;
  /** A request and its reply for each finding. */
  readonly shownBy: readonly { readonly finding: string; readonly request: string; readonly reply: string }[];
}

/** One row of `docs/unknowns.json`. */
export interface LearnedRow {
  readonly id: string;
  readonly by: By;
  readonly verdict: Verdict;
  readonly questions: readonly LearnedQuestion[];
}

/** Values for the client option `profile`. */
export interface LearnedSettings {
  readonly statusBatchSize?: number;
  /** Milliseconds. */
  readonly keyRetention?: number;
}

/** What was learned of a deployment: the profile file. */
export interface DeploymentProfile {
  readonly version: 1;
  readonly origin: string;
  /** As the service calls it. */
  readonly environment: string;
  /** Server time of the last run. */
  readonly learnedAt: string;
  /** Settings that change the behaviour of a client; `parseProfile` of the package reads them. */
  readonly settings: LearnedSettings;
  /** Keys of bids that `learn` has placed, for a later run to look up. */
  readonly keys: readonly PlacedKey[];
  readonly rows: readonly LearnedRow[];
}

/** An answer that is no longer what an earlier run observed. */
export interface Drift {
  readonly id: string;
  readonly question: string;
  readonly before: readonly string[];
  readonly now: readonly string[];
}

/** Verdict of a row: open while one question is open, refuted if one answer differs from the assumption. */
export function verdictOfRow(questions: readonly LearnedQuestion[]): Verdict {
  const verdicts = questions.map(({ verdict }) => verdict);
  if (verdicts.includes('still open')) return 'still open';
  return verdicts.includes('refuted') ? 'refuted' : 'confirmed';
}

/** A row with its findings in one text and the first request and reply that show one. */
export function withSummary(row: LearnedRow) {
  const found = row.questions.map(({ question, findings }) => `${question}: ${findings.join(' / ') || '?'}`);
  const [shownBy] = row.questions.flatMap((question) => question.shownBy);
  return { ...row, found: found.join('; '), shownBy };
}

/** How many rows have each verdict, as a sentence. */
export function countsOf({ rows }: DeploymentProfile): string {
  const parts = (['confirmed', 'refuted', 'still open'] as const).map(
    (verdict) => `${rows.filter((row) => row.verdict === verdict).length} ${verdict}`,
  );
  return `${parts.join(', ')}.`;
}

/**
 * Adds a run to an earlier profile. What this run could not observe stays as it was; what it observed differently is
 * drift.
 *
 * @throws ConfigurationError for the profile of another deployment
 */
export function merged(
  before: DeploymentProfile,
  now: DeploymentProfile,
): { readonly profile: DeploymentProfile; readonly drift: readonly Drift[] } {
  refuseOther(before, now);
  const drift: Drift[] = [];
  const rows = now.rows.map((row) => {
    const earlier = before.rows.find(({ id }) => id === row.id);
    const questions = row.questions.map((question) => {
      const known = earlier?.questions.find((other) => other.question === question.question);
      if (known === undefined || known.findings.length === 0) return question;
      if (question.findings.length === 0) return known;
      if (known.verdict !== 'still open' && isDifferent(known.findings, question.findings)) {
        drift.push({
          id: row.id,
          question: question.question,
          before: known.findings,
          now: question.findings,
        });
      }
      return question;
    });
    return { ...row, verdict: verdictOfRow(questions), questions };
  });
  return { profile: { ...now, settings: { ...before.settings, ...now.settings }, rows }, drift };
}

/** @throws ConfigurationError for the profile of another deployment */
export function refuseOther(
  profile: Pick<DeploymentProfile, 'origin' | 'environment'>,
  { origin, environment }: Pick<DeploymentProfile, 'origin' | 'environment'>,
): void {
  if (profile.origin === origin && profile.environment === environment) return;
  const other = `${profile.origin}, ${profile.environment}`;
  throw new ConfigurationError('profile', `is of another deployment (${other}); choose another file`);
}

function isDifferent(some: readonly string[], others: readonly string[]): boolean {
  return some.length !== others.length || some.some((one) => !others.includes(one));
}

/** Parses a profile file. @throws ConfigurationError for anything else */
export function parseProfileFile(text: string): DeploymentProfile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ConfigurationError('profile', `is not JSON: ${thrownMessage(error)}`);
  }
  if (!isProfile(value)) throw new ConfigurationError('profile', 'is not a file that "learn" has written');
  return value;
}

function isProfile(value: unknown): value is DeploymentProfile {
  return (
    isRecord(value) &&
    value['version'] === 1 &&
    ['origin', 'environment', 'learnedAt'].every((name) => typeof value[name] === 'string') &&
    isRecord(value['settings']) &&
    isListOf(value['keys'], isPlacedKey) &&
    isListOf(value['rows'], isRow)
  );
}

function isPlacedKey(value: unknown): boolean {
  return isRecord(value) && ['key', 'bid', 'placedAt'].every((name) => typeof value[name] === 'string');
}

function isRow(value: unknown): boolean {
  return isRecord(value) && typeof value['id'] === 'string' && isListOf(value['questions'], isQuestion);
}

function isQuestion(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value['question'] === 'string' &&
    ['confirmed', 'refuted', 'still open'].some((verdict) => verdict === value['verdict']) &&
    isListOf(value['findings'], (finding) => typeof finding === 'string') &&
    Array.isArray(value['shownBy'])
  );
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}
