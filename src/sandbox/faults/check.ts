import { codes } from '../../api/codes.js';
import { operationsCalled } from '../call-names.js';
import type { Fault, FaultPlan } from '../faults.js';

/** Throws a RangeError for a plan that can't be meant. `isClient` knows the sandbox's clients. */
export function checkPlan(plan: FaultPlan, isClient: (id: string) => boolean): void {
  if (!Object.hasOwn(fields, plan.fault)) {
    throw new RangeError(
      `no fault ${JSON.stringify(plan.fault)}; faults are ${Object.keys(fields).join(', ')}`,
    );
  }
  const allowed = [...fields[plan.fault], ...ofEveryPlan, ...(plan.fault === 'skew' ? [] : ofCounted)];
  const unknown = Object.keys(plan).filter((name) => !allowed.includes(name));
  if (unknown.length > 0) {
    throw new RangeError(`${plan.fault} has no ${unknown.join(', ')}; it has ${allowed.slice(1).join(', ')}`);
  }
  checkMatch(plan, isClient);
  checkFault(plan);
}

function checkMatch(
  { operation, client, where, nth = 1, times = 1 }: FaultPlan,
  isClient: (id: string) => boolean,
) {
  if (operation !== undefined && operationsCalled(operation).length === 0) {
    throw new RangeError(
      `no operation ${JSON.stringify(operation)}; they are called like "saleCases.decide" or "A22"`,
    );
  }
  if (client !== undefined && !isClient(client)) {
    throw new RangeError(`the sandbox has no client ${JSON.stringify(client)}`);
  }
  must(where === undefined || typeof where === 'function', 'where is a function that is given an attempt');
  must(
    Number.isInteger(nth) &&
      nth >= 1 &&
      (times === Number.POSITIVE_INFINITY || Number.isInteger(times)) &&
      times >= 1,
    'nth and times are whole numbers, 1 or more; times may be Infinity',
  );
}

function checkFault(fault: Fault): void {
  switch (fault.fault) {
    case 'error_before_commit':
    case 'error_after_commit':
      statusIn(fault.status, 500, 599);
      oneOf('shape', fault.shape, ['message', 'html', 'empty']);
      break;
    case 'delay':
    case 'delay_after_commit':
    case 'late_copy':
      must(isSpan(fault.ms), milliseconds);
      break;
    case 'processing':
      must(isSpan(fault.ms), milliseconds);
      statusIn(fault.status, 500, 599);
      break;
    case 'skew':
      must(
        Math.abs(fault.ms) <= tenYearsMs,
        'ms is a number of milliseconds, negative for a clock that is behind, and ten years at the most',
      );
      break;
    case 'forget':
      oneOf('what', fault.what, ['key', 'record']);
      break;
    case 'rate_limit':
      must(
        isSpan(fault.retryAfter ?? 0) && (fault.retryAfter ?? 0) * 1_000 <= tenYearsMs,
        'retryAfter is a number of seconds, 0 or more, and ten years at the most',
      );
      oneOf('form', fault.form, ['seconds', 'http-date', 'absent']);
      break;
    case 'refuse':
      checkRefusal(fault);
      break;
    case 'garbage':
      statusIn(fault.status, 200, 599);
      must(
        fault.body === undefined || fault.content === undefined,
        'garbage has a content or a body, not both',
      );
      must(fault.contentType === undefined || fault.body !== undefined, 'contentType goes with a body');
      inHeader('contentType', fault.contentType);
      oneOf('content', fault.content, ['html', 'half_json', 'other_json', 'empty', 'null', 'wrong_type']);
      break;
    case 'truncate':
      must(isCount(fault.bytes ?? 0), 'bytes is a whole number, 0 or more');
      break;
    case 'slow':
      oneOf('part', fault.part, ['head', 'body']);
      must((fault.bytesPerMs ?? 1) > 0, 'bytesPerMs is a number above 0');
      must(isCount(fault.stallAfter ?? 0), 'stallAfter is a whole number of bytes, 0 or more');
      break;
    case 'redirect':
      statusIn(fault.status, 300, 399);
      inHeader('location', fault.location);
      break;
    default:
  }
}

function checkRefusal({ code, status, fields }: Extract<Fault, { fault: 'refuse' }>): void {
  if (code === undefined) {
    must(status === undefined || fields === undefined, 'fields are refused with a 422; leave status out');
    must(
      status !== undefined || fields !== undefined,
      'refuse takes a code, a status, or fields with their messages',
    );
    statusIn(status, 400, 499);
    return;
  }
  must(fields === undefined, 'refuse takes a code or fields, not both');
  must(Object.hasOwn(codes, code), `no code ${JSON.stringify(code)}`);
  const statuses: readonly number[] = codes[code].statuses;
  must(status === undefined || statuses.includes(status), `${code} comes with ${statuses.join(' or ')}`);
}

function must(holds: boolean, message: string): void {
  if (!holds) throw new RangeError(message);
}

function statusIn(status: number | undefined, from: number, to: number): void {
  const holds = status === undefined || (Number.isInteger(status) && status >= from && status <= to);
  must(holds, `status is a whole number from ${from} to ${to}`);
}

function oneOf(name: string, value: string | undefined, allowed: readonly string[]): void {
  must(value === undefined || allowed.includes(value), `${name} is ${allowed.join(', ')}`);
}

/** A line break would begin another header, or end the head. */
function inHeader(name: string, value: string | undefined): void {
  must(value === undefined || /^[\x20-\x7e]+$/.test(value), `${name} is printable ASCII, as in a header`);
}

const isSpan = (value: number) => Number.isFinite(value) && value >= 0;
const isCount = (value: number) => Number.isInteger(value) && value >= 0;

const tenYearsMs = 10 * 366 * 86_400_000;
const milliseconds = 'ms is a number of milliseconds of sandbox time, 0 or more';
const ofEveryPlan = ['fault', 'operation', 'client', 'where'];
const ofCounted = ['nth', 'times'];

const fields: Readonly<Record<Fault['fault'], readonly string[]>> = {
  drop_before_commit: [],
  drop_after_commit: [],
  error_before_commit: ['status', 'shape'],
  error_after_commit: ['status', 'shape'],
  delay: ['ms'],
  delay_after_commit: ['ms'],
  processing: ['ms', 'status'],
  late_copy: ['ms'],
  forget: ['what', 'drop'],
  rate_limit: ['retryAfter', 'form', 'commit'],
  refuse: ['code', 'status', 'fields', 'commit'],
  garbage: ['content', 'body', 'contentType', 'status', 'commit'],
  truncate: ['bytes'],
  slow: ['part', 'bytesPerMs', 'stallAfter'],
  redirect: ['location', 'status', 'commit'],
  skew: ['ms'],
};
