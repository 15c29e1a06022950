import { API_PREFIX } from '../../api/common.js';
import type { Operation } from '../../api/operation.js';
import { frameworkPage, type Reply } from '../http/replies.js';
import { isObject } from '../http/wire.js';
import { isoTime } from '../times.js';
import { type Habits, isDocumented } from './habits.js';
import { withTypes } from './shapes.js';

/** The request that a reply answers. `operation` is undefined if no route matched. */
export interface Answered {
  readonly operation: Operation | undefined;
  readonly perPage: number;
  /** Requests that the client can still send; undefined without a limit or a client. */
  readonly allowance: Allowance | undefined;
  /** Server time, Unix milliseconds. */
  readonly now: number;
}

export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
}

/** Writes documented replies and events as a deployment with certain habits does. */
export class DeploymentHabits {
  readonly habits: Habits;
  /** Whether replies and events stay as they are. */
  readonly isDocumented: boolean;
  /** Base URL of the service, and the one that the deployment writes in replies. */
  #urls = { real: '', written: '' };

  constructor(habits: Habits) {
    this.habits = habits;
    this.isDocumented = isDocumented(habits);
  }

  /** Sets the base URL that replies contain. */
  locate(baseUrl: string): void {
    this.#urls = { real: baseUrl, written: rewritten(baseUrl, this.habits.urls) };
  }

  /** The reply as the deployment sends it. */
  reply(reply: Reply, about: Answered): Reply {
    return this.#throttled('json' in reply ? this.#jsonReply(reply, about) : reply, about);
  }

  /** The JSON of a webhook event. */
  event(envelope: unknown): unknown {
    return this.isDocumented ? envelope : this.#types(envelope);
  }

  /** `Service-Timestamp` of a delivery at `ms`, Unix milliseconds. */
  webhookTimestamp(ms: number): string {
    const forms = {
      seconds: String(Math.floor(ms / 1_000)),
      milliseconds: String(ms),
      decimals: `${(ms / 1_000).toFixed(3)}`,
      iso: isoTime(ms),
    };
    return forms[this.habits.webhookTimestamps];
  }

  #types(json: unknown): unknown {
    const { real, written } = this.#urls;
    const url = (text: string) => (text.startsWith(`${real}/`) ? written + text.slice(real.length) : text);
    return withTypes(json, this.habits, url);
  }

  #jsonReply(reply: JsonReply, about: Answered): Reply {
    if (reply.status >= 400) return this.#failure(reply, about);
    const { operation } = about;
    const paged = operation === undefined ? reply.json : this.#page(reply.json, operation, about);
    const status = operation?.effect === 'command' ? this.#commandStatus(reply) : reply.status;
    return { ...reply, status, json: this.#types(paged) };
  }

  #commandStatus({ status, json }: JsonReply): number {
    const { commandStatus } = this.habits;
    if (status !== 200) return status;
    if (commandStatus !== 'mixed') return Number(commandStatus);
    const record = isObject(json) && isObject(json['data']) ? json['data'] : {};
    return record['resource_version'] === 1 ? 201 : 202;
  }

  /** A page of the catalogue or of results in the framework's form. */
  #page(json: unknown, { envelope, path }: Operation, { perPage: per_page }: Answered): unknown {
    const { pages } = this.habits;
    if (pages === 'documented' || (envelope !== 'page' && envelope !== 'results_page')) return json;
    if (!isObject(json) || !Array.isArray(json['data'])) return json;
    const { data, current_page: page, last_page, total } = json;
    if (typeof page !== 'number' || typeof last_page !== 'number') return json;
    const at = { from: (page - 1) * per_page, page, last_page, per_page };
    const whole = frameworkPage(`${this.#urls.real}${path}`, data, at);
    const count = total === undefined ? {} : { total };
    if (pages === 'paginator') return { ...whole, ...count };
    const { data: items, first_page_url, last_page_url, prev_page_url, next_page_url, ...meta } = whole;
    const links = { first: first_page_url, last: last_page_url, prev: prev_page_url, next: next_page_url };
    return { data: items, links, meta: { ...meta, ...count } };
  }

  /** An error or refusal. */
  #failure(reply: JsonReply, about: Answered): Reply {
    const { status, headers } = reply;
    const json = this.#uncoded(reply, about);
    // The framework writes these lists itself.
    if (isInvalid(json)) {
      const isOwn = this.habits.refusals === 'documented';
      return isOwn ? { ...reply, json } : { ...reply, json: { ...json, message: summaryOf(json.errors) } };
    }
    if (!isMessage(json)) return { ...reply, json: this.#types(json) };
    const message = this.#words(status, json.message);
    if (status === 503 && this.habits.maintenance !== 'message') {
      const inMaintenance = { status, headers: { 'Retry-After': String(maintenanceSeconds), ...headers } };
      return this.habits.maintenance === 'html'
        ? { ...inMaintenance, html: pageOf(status, message) }
        : { ...inMaintenance, json: { message } };
    }
    const { errors } = this.habits;
    if (errors === 'html') return { status, ...(headers && { headers }), html: pageOf(status, message) };
    return { ...reply, json: errors === 'debug' ? debugged(status, message) : { message } };
  }

  /** Removes the application envelope of a refusal that has no record. */
  #uncoded({ json }: JsonReply, { operation }: Answered): unknown {
    const { refusals } = this.habits;
    const isConcerned =
      refusals === 'message' || (refusals === 'framework' && operation?.effect === 'command');
    const isCoded = isObject(json) && json['success'] === false && json['data'] === null;
    return isConcerned && isCoded ? { message: json['message'] } : json;
  }

  /** The framework's words for a status. Messages about a state or a version stay. */
  #words(status: number, message: string): string {
    if (this.habits.refusals === 'documented' || status === 409 || status === 412) return message;
    return frameworkWords[status] ?? message;
  }

  #throttled(reply: Reply, { allowance, now }: Answered): Reply {
    if (this.habits.throttle === 'none' || allowance === undefined) return reply;
    const { limit, remaining } = allowance;
    const wait = Number(reply.headers?.['Retry-After'] ?? 0);
    const headers = {
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(remaining),
      ...(reply.status === 429 && { 'X-RateLimit-Reset': String(Math.ceil(now / 1_000) + wait) }),
    };
    return { ...reply, headers: { ...headers, ...reply.headers } };
  }
}

type JsonReply = Extract<Reply, { readonly json: unknown }>;

function isMessage(json: unknown): json is { readonly message: string } {
  return isObject(json) && typeof json['message'] === 'string' && Object.keys(json).length === 1;
}

function isInvalid(json: unknown): json is { readonly errors: Readonly<Record<string, unknown>> } {
  return isObject(json) && isObject(json['errors']) && Object.keys(json).length === 2;
}

/** The framework's message of a 422: the first complaint, and the number of others. */
function summaryOf(errors: Readonly<Record<string, unknown>>): string {
  const [first = 'The given data was invalid.', ...more] = Object.values(errors).flat();
  const others = more.length === 1 ? '1 more error' : `${more.length} more errors`;
  return more.length === 0 ? String(first) : `${String(first)} (and ${others})`;
}

/** Base URL as a deployment writes it whose proxy ends TLS, hides the port and names no front controller. */
function rewritten(baseUrl: string, choice: Habits['urls']): string {
  if (choice === 'configured' || !URL.canParse(baseUrl)) return baseUrl;
  const { protocol, host, hostname } = new URL(baseUrl);
  const isAll = choice === 'rewritten';
  const scheme = isAll || choice === 'http' ? 'http:' : protocol;
  const place = isAll || choice === 'without-port' ? hostname : host;
  const controller = isAll || choice === 'front-controller' ? '/index.php' : '';
  return `${scheme}//${place}${controller}${API_PREFIX}`;
}

function debugged(status: number, message: string) {
  const frame = { file: '/var/www/html/app/Http/Kernel.php', line: 141, function: 'handle', type: '->' };
  return {
    message,
    exception: status >= 500 ? 'Illuminate\\Database\\QueryException' : 'RuntimeException',
    file: '/var/www/html/app/Services/Auctions.php',
    line: 88,
    trace: [frame, { ...frame, file: '/var/www/html/public/index.php', line: 17 }],
  };
}

function pageOf(status: number, message: string): string {
  const title = message.replace(/[&<>]/g, (char) => `&#${char.charCodeAt(0)};`);
  return `<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body><main><b>${status}</b> ${title}</main></body></html>\n`;
}

const frameworkWords: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthenticated.',
  402: 'Payment Required',
  403: 'This action is unauthorized.',
  404: 'Not Found',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  419: 'CSRF token mismatch.',
  423: 'Locked',
  428: 'Precondition Required',
  429: 'Too Many Attempts.',
  500: 'Server Error',
  503: 'Service Unavailable',
};

/** `Retry-After` of maintenance mode. */
const maintenanceSeconds = 60;
