import { context, metrics, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { instrument } from 'vehicle-auction-sdk/opentelemetry';
import { partner } from './contestants.js';
import { compare, type Ratio, serverApart } from './measure.js';

/** CPU of a read by an instrumented client, over that of the same read by a client without: without an SDK, then with one. */
export async function telemetryCost(count: number, rounds: number): Promise<Ratio[]> {
  const server = await serverApart();
  const plain = partner(server.origin);
  const read = (client: typeof plain) => async (times: number) => {
    for (let done = 0; done < times; done += 1) await client.events.get('auc_bench');
  };
  const measured = async (name: string) => {
    const instrumented = partner(server.origin);
    const stop = instrument(instrumented);
    const ratios = await compare({ plain: read(plain), [name]: read(instrumented) }, count, rounds);
    stop();
    await instrumented.close();
    return ratios;
  };
  try {
    const without = await measured('instrumented, no SDK registered');
    const unregister = register();
    try {
      return [...without, ...(await measured('instrumented, spans recorded'))];
    } finally {
      await unregister();
    }
  } finally {
    await plain.close();
    server.close();
  }
}

/** Registers the SDK of OpenTelemetry with batches of spans that go nowhere. Returns how to undo it. */
function register(): () => Promise<void> {
  const exporter = {
    export: (_: unknown, done: (result: { code: number }) => void) => done({ code: 0 }),
    shutdown: async () => undefined,
  };
  const traces = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
  const reader = new PeriodicExportingMetricReader({
    exporter: new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE),
    exportIntervalMillis: 3_600_000,
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(traces);
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  return async () => {
    await Promise.all([traces.shutdown(), reader.shutdown()]);
    for (const api of [trace, metrics, context]) api.disable();
  };
}
