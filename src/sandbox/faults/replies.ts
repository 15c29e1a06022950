import { codes } from '../../api/codes.js';
import type { RoutedRequest } from '../call.js';
import type { Fault } from '../faults.js';
import { conflict } from '../idempotency.js';
import { invalid, messageOnly, type Reply, refusal } from '../replies.js';
import { retryAfter } from '../retry-after.js';

/** The reply that a fault puts in place of the `real` one, if there is one; undefined for faults that put none. */
export function faultReply(fault: Fault, request: RoutedRequest, real?: Reply): Reply | undefined {
  switch (fault.fault) {
    case 'error_before_commit':
    case 'error_after_commit':
      return serverError(fault.status ?? 500, fault.shape ?? 'message');
    case 'processing':
      return fault.status === undefined ? undefined : serverError(fault.status, 'message');
    case 'rate_limit': {
      const form = fault.form ?? request.world.settings.variants['retry-after-form'];
      const headers = retryAfter(form, fault.retryAfter ?? 1, request.now());
      return messageOnly(429, 'Too many requests.', headers);
    }
    case 'refuse':
      return refused(fault, request);
    case 'garbage':
      return garbage(fault, real);
    case 'redirect':
      return {
        status: fault.status ?? 307,
        html: '<html><body>Moved</body></html>',
        headers: { Location: fault.location ?? 'https://elsewhere.example/' },
      };
    default:
      return undefined;
  }
}

function serverError(status: number, shape: 'message' | 'html' | 'empty'): Reply {
  if (shape === 'html') return { status, html: badGateway };
  if (shape === 'empty') return text(status, '', 'text/plain');
  return messageOnly(status, 'Server error.');
}

function refused(
  { code, status, fields }: Extract<Fault, { fault: 'refuse' }>,
  request: RoutedRequest,
): Reply {
  if (fields !== undefined) return invalid(new Map(Object.entries(fields)));
  if (code === undefined) return messageOnly(status ?? 400, 'Refused.');
  if (code === 'IDEMPOTENCY_CONFLICT') return conflict(request);
  const answered = status ?? codes[code].statuses[0];
  return code === 'NOT_FOUND' ? messageOnly(answered, 'Not found.') : refusal(request, answered, [code]);
}

function garbage(fault: Extract<Fault, { fault: 'garbage' }>, real: Reply | undefined): Reply {
  const { content = 'html', body, contentType = 'text/html' } = fault;
  if (body !== undefined) return text(fault.status ?? 200, body, contentType);
  if (content === 'html') return { status: fault.status ?? 502, html: badGateway };
  const json = real !== undefined && 'json' in real ? JSON.stringify(real.json) : '{"data":{"id":"sale_0"}}';
  const status = fault.status ?? 200;
  switch (content) {
    case 'half_json':
      return text(status, json.slice(0, Math.floor(json.length / 2)), 'application/json');
    case 'other_json':
      return text(status, '[{"unexpected":true}]', 'application/json');
    case 'empty':
      return text(status, '', 'application/json');
    case 'null':
      return text(status, 'null', 'application/json');
    case 'wrong_type':
      return text(status, json, 'text/plain');
  }
}

function text(status: number, body: string, contentType: string): Reply {
  return { status, bytes: Buffer.from(body, 'utf8'), contentType };
}

const badGateway = '<html><body><h1>Bad Gateway</h1></body></html>';
