import { byRecord, type Call, sends, type WireCase, type WireReply, wire } from './case.js';

export const SERVER_TIME = '2026-03-02T06:00:00+00:00';

/** What the text doesn't name, and must pass through wherever it comes. */
export const further = { of_a_later_version: { list: [1, null, [], {}], flag: false }, empty_list: [] };

/** A workflow record with every field that the text gives it. */
export function record<Data extends object>(id: string, kind: string, state: string, data: Data) {
  return {
    id,
    kind,
    state,
    resource_version: 7,
    data: { ...data, ...further },
    created_at: '2026-03-02T05:58:00+00:00',
    updated_at: '2026-03-02T05:59:30+00:00',
    ...further,
  };
}

/** What a command is answered: `{ data, request_id, server_time }`. */
export function commandReplies(data: object): readonly WireReply[] {
  const json = { data, request_id: 'req_2', server_time: SERVER_TIME, ...further };
  const info = { requestId: 'req_2', serverTime: SERVER_TIME };
  const later = { ...data, kind: 'kind_of_next_year', state: 'state_of_next_year' };
  return [
    { name: 'as it was first recorded', json, result: data, info },
    {
      name: 'replayed',
      headers: { 'Idempotent-Replayed': 'true' },
      json,
      result: data,
      info: { ...info, replayed: true },
    },
    {
      name: 'with nothing in its data',
      json: { ...json, data: { ...data, data: [] } },
      read: { ...json, data: { ...data, data: {} } },
      result: { ...data, data: {} },
      info,
    },
    { name: 'of an unknown kind and state', json: { ...json, data: later }, result: later, info },
  ];
}

/** A command on a record, made by its id and version, and by the record in their place. */
export function commandOn(
  row: string,
  given: { readonly id: string },
  body: object,
  after: object,
  ...more: readonly Call[]
): WireCase {
  return wire(row, [given.id], [sends(body), byRecord(given, body), ...more], commandReplies(after));
}

/** What a read of a record is answered: `{ data, server_time }`. */
export function recordReplies(data: object): readonly WireReply[] {
  return [
    ...readReplies(data),
    {
      name: 'with nothing in its data',
      json: { data: { ...data, data: [] }, server_time: SERVER_TIME },
      read: { data: { ...data, data: {} }, server_time: SERVER_TIME },
      result: { ...data, data: {} },
      info: { serverTime: SERVER_TIME },
    },
  ];
}

/** What any other workflow read is answered. */
export function readReplies(data: unknown): readonly WireReply[] {
  return [
    {
      name: 'as the text has it',
      json: { data, server_time: SERVER_TIME, ...further },
      result: data,
      info: { serverTime: SERVER_TIME },
    },
  ];
}

/** A detail of the catalogue, which carries nothing beside its data. */
export function detailReplies(...all: readonly object[]): readonly WireReply[] {
  return all.map((data, index) => ({ name: `detail ${index + 1}`, json: { data }, result: data }));
}

/** A file of the service. */
export function fileReply(contentType: string, contentDisposition: string, bytes: Buffer): WireReply {
  return {
    name: contentType,
    headers: {
      'content-type': contentType,
      'cache-control': 'private, no-store',
      'content-disposition': contentDisposition,
    },
    bytes,
    result: { contentType, contentLength: bytes.length, contentDisposition, bytes: bytes.toString('hex') },
  };
}

/** A page with `data` and its page fields at the top. */
export function pageReplies(...items: readonly object[]): readonly WireReply[] {
  return [
    {
      name: 'a page of three',
      json: { data: items, current_page: 1, last_page: 3, total: 61, ...further },
      result: { items, page: 1, lastPage: 3, total: 61 },
    },
    {
      name: 'an empty page',
      json: { data: [], current_page: 1, last_page: 1, total: 0 },
      result: { items: [], page: 1, lastPage: 1, total: 0 },
    },
  ];
}

/** A page with its items and page fields inside `data` (A08, A20). */
export function workflowPageReplies(...items: readonly object[]): readonly WireReply[] {
  return [
    {
      name: 'a page of three',
      json: {
        data: { items, current_page: 1, last_page: 3, total: 61, ...further },
        server_time: SERVER_TIME,
      },
      result: { items, page: 1, lastPage: 3, total: 61 },
      info: { serverTime: SERVER_TIME },
    },
    {
      name: 'records with nothing in their data',
      json: last(items.map((item) => ({ ...item, data: [] }))),
      read: last(items.map((item) => ({ ...item, data: {} }))),
      result: { items: items.map((item) => ({ ...item, data: {} })), page: 1, lastPage: 1, total: 1 },
      info: { serverTime: SERVER_TIME },
    },
    {
      name: 'an empty page',
      json: { data: { items: [], current_page: 1, last_page: 1, total: 0 }, server_time: SERVER_TIME },
      result: { items: [], page: 1, lastPage: 1, total: 0 },
      info: { serverTime: SERVER_TIME },
    },
  ];
}

function last(items: readonly object[]) {
  return { data: { items, current_page: 1, last_page: 1, total: 1 }, server_time: SERVER_TIME };
}
