import { trace } from '@opentelemetry/api';
import { expect, it } from 'vitest';
import { instrument } from '../../src/opentelemetry/index.js';
import { dealer, event } from '../support/clients.js';
import { Telemetry } from './scrape.js';

it('A client that was instrumented before an SDK is registered reports from then on, and no longer once it is gone', async () => {
  const { client } = dealer([event, event, event]);
  instrument(client);
  await client.events.get('auc_1');
  const telemetry = new Telemetry();
  await client.events.get('auc_1');
  const names = telemetry.spans.getFinishedSpans().map(({ name }) => name);
  expect(names).toEqual(['GET /events/{event}', 'events.get']);
  await telemetry.end();
  trace.disable();
  await client.events.get('auc_1');
  expect(telemetry.spans.getFinishedSpans()).toHaveLength(2);
});
