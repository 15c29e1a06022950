import type { World } from '../world.js';
import type { Entity, Sale } from './entities.js';
import { allocationView, paymentReportView, releaseView, saleView } from './views.js';
import { approvalData } from './winners.js';

type Data = Readonly<Record<string, unknown>>;

/** What the webhook event of a type says of the record that it is about. */
export function eventData(world: World, type: string, about: Entity): Data {
  const { sales, reports, allocations, releases } = world.cases;
  const sale = sales.get(about.id);
  if (sale !== undefined) {
    return type === 'sale.approved' ? approvalData(sale) : open(world, about, sale, saleView(sale));
  }
  const report = reports.get(about.id);
  if (report !== undefined) return open(world, report, report.sale, paymentReportView(report));
  const allocation = allocations.get(about.id);
  if (allocation !== undefined) return open(world, allocation, allocation.sale, allocationView(allocation));
  const release = releases.get(about.id);
  if (release !== undefined) return open(world, release, release.sale, releaseView(release));
  return open(world, about);
}

/** A payload that the text doesn't show: ids and version by which to read on, beside the record as it is. */
function open(world: World, about: Entity, sale?: Sale, view: Data = {}): Data {
  const isBare = world.settings.variants['webhook-open-payloads'] === 'bare';
  return {
    ...(isBare ? {} : view),
    resource_id: about.id,
    resource_version: about.version,
    sale_id: sale?.id ?? null,
    lot_id: sale?.lot.id ?? null,
  };
}
