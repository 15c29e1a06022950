import { conflict } from './bids.js';
import type { Admitted, Service } from './service.js';
import { iso, json, message, parsed, type WireReply } from './wire.js';

/** Carries out a command, or answers as before where its UUID is known (Conventions, 2 and 3). */
export function carryOut(service: Service, { request, path, client, number, shownAt }: Admitted): WireReply {
  const { ledger, now } = service;
  const body = parsed(request.body);
  const key = request.headers['idempotency-key'];
  if (body === undefined || key === undefined || body['idempotency_key'] !== key) {
    return message(422, 'The idempotency key is missing.');
  }
  const known = ledger.recall(client, key, now);
  if (known !== undefined) {
    if (known.body !== request.body || known.path !== path || known.reply === undefined)
      return conflict(service);
    return { status: 200, headers: { 'idempotent-replayed': 'true' }, body: known.reply };
  }
  const done = path === '/payment-reports' ? reported(service, body) : acknowledged(service, path, body);
  if ('refusal' in done) return done.refusal;
  const reply = json(200, {
    data: { ...done.record, created_at: iso(now), updated_at: iso(now) },
    request_id: `req_${number}`,
    server_time: iso(service.stated(now)),
  });
  ledger.commands.push({ client, key, request: number, tag: done.tag });
  ledger.remember(client, key, { path, body: request.body, at: now, shownAt, reply: reply.body });
  service.parts.note(`service: carried out ${path} under ${key}`);
  return reply;
}

type Done = { readonly tag: string; readonly record: object } | { readonly refusal: WireReply };

function reported({ ledger }: Service, body: Readonly<Record<string, unknown>>): Done {
  const { idempotency_key: _, ...data } = body;
  const id = `report_${ledger.commands.length + 1}`;
  const state = 'reported_pending_verification';
  return {
    tag: String(body['external_reference']),
    record: { id, kind: 'payment_report', state, resource_version: 1, data },
  };
}

function acknowledged(service: Service, path: string, body: Readonly<Record<string, unknown>>): Done {
  const id = path.split('/')[2] ?? '';
  const version = service.sales.get(id);
  if (version === undefined) return { refusal: message(404, 'Not found.') };
  if (body['expected_version'] !== version) {
    return { refusal: message(409, 'The sale has another version now.') };
  }
  service.sales.set(id, version + 1);
  const data = { terms_version: body['terms_version'], acknowledged_at: iso(service.now) };
  return {
    tag: id,
    record: { id, kind: 'sale', state: 'approved', resource_version: version + 1, data },
  };
}
