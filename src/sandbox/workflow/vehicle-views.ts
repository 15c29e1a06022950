import type { InventoryField, InventoryForm } from '../seed/inventory.js';
import { knownUnlessSwitched } from '../unfamiliar.js';
import type { World } from '../world.js';
import type { InventoryCommand, Transfer, VehicleStatus } from './vehicle-entities.js';
import { type Data, recordView } from './views.js';

export const transferView = (world: World, transfer: Transfer): Data =>
  recordView(transfer, transferData(world, transfer));

export function transferData(world: World, transfer: Transfer): Data {
  return {
    status: transfer.state,
    responsible_party: transfer.responsibleParty,
    reason: transfer.reason,
    evidence_id: transfer.evidenceId,
    document_checklist: transfer.documentChecklist,
    occurred_at: transfer.occurredAt,
    sale_id: transfer.sale.id,
    verification: transfer.verified
      ? knownUnlessSwitched(world, 'transfer-verification-values', 'registry_verified')
      : 'operator_reported',
    government_verified: transfer.verified,
  };
}

export const inventoryCommandView = (world: World, command: InventoryCommand): Data =>
  recordView(command, {
    vehicle_id: command.vehicleId,
    inventory_version: command.inventoryVersion,
    status: statusView(world, command.status),
    external_id: command.externalId,
    schema_version: command.schemaVersion,
    title: command.title,
  });

/** What a status is called on the wire; the text spells `draft` and `ready` only. */
export function statusView(world: World, status: VehicleStatus): string | null {
  const isSpelt = status === 'draft' || status === 'ready';
  return isSpelt ? status : knownUnlessSwitched(world, 'inventory-status-values', status);
}

/** A schema with the fields that its reader may know: a partner the public ones, and not that there are others. */
export function schemaView(world: World, form: InventoryForm, reader: 'bank' | 'partner'): Data {
  const fields = form.fields
    .filter((field) => reader === 'bank' || !field.private)
    .map((field) => fieldView(field, reader));
  return {
    schema_version: form.schemaVersion,
    name: form.name,
    version: form.version,
    fields:
      world.settings.variants['inventory-schema-fields'] === 'array'
        ? fields
        : Object.fromEntries(fields.map(({ id, ...rest }) => [id, rest])),
  };
}

function fieldView(field: InventoryField, reader: 'bank' | 'partner') {
  return {
    id: field.id,
    label: field.label,
    type: field.type,
    required: field.required,
    ...(reader === 'bank' && { private: field.private }),
    ...(field.type === 'choice' && { enum_values: field.options }),
  };
}
