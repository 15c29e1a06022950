/**
 * Habits of real deployments that the API text does not describe. The first choice of each is the documented form;
 * `laravel` names the choice of a Laravel application behind gateways. Signing, identities and effects are the same
 * under every choice.
 */
export const habits = {
  /** INR amounts, in all replies and events. `mixed`: `amount` is a number, other amounts have four decimals. */
  money: { choices: ['text', 'number', 'four-decimals', 'mixed'], laravel: 'mixed' },
  /** Integers, except page numbers and HTTP statuses. */
  integers: { choices: ['number', 'text'], laravel: 'text' },
  /** `current_page`, `last_page`, `total` and the like. */
  pageNumbers: { choices: ['number', 'text'], laravel: 'text' },
  /** `number`: 1 and 0. */
  booleans: { choices: ['boolean', 'number'], laravel: 'number' },
  /** Ids of workflow records, messages and winner updates, and the cursor. `number`: integers, from one sequence. */
  ids: { choices: ['text', 'number'], laravel: 'number' },
  /** Lists with items. `by-index`: an object with index keys from 1, as PHP writes a list whose first item was filtered. */
  lists: { choices: ['list', 'by-index'], laravel: 'by-index' },
  emptyLists: { choices: ['list', 'null'], laravel: 'null' },
  emptyObjects: { choices: ['object', 'list', 'null'], laravel: 'list' },
  /** Date-times. `microseconds`: UTC with six digits; `database`: UTC without a zone, `YYYY-MM-DD HH:MM:SS`. */
  timestamps: { choices: ['documented', 'microseconds', 'database'], laravel: 'microseconds' },
  /** Catalogue and result pages. `paginator`: with all fields of `/bids`; `resource`: page numbers in `meta`. */
  pages: { choices: ['documented', 'paginator', 'resource'], laravel: 'paginator' },
  /** Status of accepted commands. `mixed`: 201 for a new record, 202 for a changed one. */
  commandStatus: { choices: ['200', '201', '202', 'mixed'], laravel: 'mixed' },
  /**
   * `framework`: refusals of commands carry a message and no code, messages are the framework's, and a known path with
   * another method is a 405. `message`: no refusal carries a code, except recorded rejections of bids.
   */
  refusals: { choices: ['documented', 'framework', 'message'], laravel: 'framework' },
  /** Errors without a code. `debug`: with exception, file and trace; `html`: a page. */
  errors: { choices: ['message', 'debug', 'html'], laravel: 'debug' },
  /** A 503 without a code. `json` and `html` have `Retry-After`, as maintenance mode does. */
  maintenance: { choices: ['message', 'json', 'html'], laravel: 'html' },
  /** `headers`: `X-RateLimit-Limit` and `X-RateLimit-Remaining` in replies, `X-RateLimit-Reset` in a 429. */
  throttle: { choices: ['none', 'headers'], laravel: 'headers' },
  /** Root of media, download and page URLs. `rewritten`: http, without the port, with `/index.php`. */
  urls: {
    choices: ['configured', 'http', 'without-port', 'front-controller', 'rewritten'],
    laravel: 'rewritten',
  },
  /** Form of `Service-Timestamp`. The signature covers the text as sent. */
  webhookTimestamps: { choices: ['seconds', 'milliseconds', 'decimals', 'iso'], laravel: 'iso' },
} as const satisfies Readonly<Record<string, Habit>>;

interface Habit {
  readonly choices: readonly [string, string, ...string[]];
  readonly laravel: string;
}

/** One choice for each habit. */
export type Habits = { readonly [Name in keyof typeof habits]: (typeof habits)[Name]['choices'][number] };

/** Habits to change, on top of the documented forms or of those of `like`. */
export interface Deployment extends Partial<Habits> {
  readonly like?: 'laravel' | undefined;
}

/** Fills in the habits of a deployment. */
export function habitsOf(deployment: 'laravel' | Deployment = {}): Habits {
  const { like, ...own } = deployment === 'laravel' ? { like: deployment } : deployment;
  const based = Object.entries(habits).map(([name, { choices, laravel }]) => [
    name,
    like === 'laravel' ? laravel : choices[0],
  ]);
  return { ...Object.fromEntries(based), ...own };
}

/** Whether every habit has its documented form. */
export function isDocumented(chosen: Habits): boolean {
  return Object.entries(chosen).every(([name, choice]) => Reflect.get(documented, name) === choice);
}

const documented = habitsOf();
