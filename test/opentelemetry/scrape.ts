import { context, metrics, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';

/** The real SDK of OpenTelemetry, with spans in memory and metrics as Prometheus scrapes them. */
export class Telemetry {
  readonly spans = new InMemorySpanExporter();
  readonly #exporter = new PrometheusExporter({ preventServerStart: true });

  constructor() {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    const spanProcessors = [new SimpleSpanProcessor(this.spans)];
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
    metrics.setGlobalMeterProvider(new MeterProvider({ readers: [this.#exporter] }));
  }

  /** The text of one scrape. */
  async scrape(): Promise<string> {
    const { resourceMetrics, errors } = await this.#exporter.collect();
    if (errors.length > 0) throw new AggregateError(errors, 'Metrics could not be collected');
    return new PrometheusSerializer().serialize(resourceMetrics);
  }

  async end(): Promise<void> {
    await this.#exporter.shutdown();
    trace.disable();
    metrics.disable();
    context.disable();
  }
}

/** Names of the series of a scrape. */
export function namesIn(scrape: string): ReadonlySet<string> {
  return new Set(scrape.match(/^[a-z_]\w*/gm) ?? []);
}

/** Values of the series of one name whose labels include all of `labels`. */
export function valuesOf(
  scrape: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number[] {
  return scrape
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`))
    .filter((line) => Object.entries(labels).every(([key, value]) => line.includes(`${key}="${value}"`)))
    .map((line) =>
      Number(
        line
          .slice(line.lastIndexOf('}') + 1)
          .trim()
          .split(' ')[0],
      ),
    );
}
