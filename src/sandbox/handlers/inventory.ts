import * as z from 'zod';
import { inventory } from '../../api/inventory.js';
import { type Call, type Handler, param } from '../call.js';
import { bidEnvelope, Refusal, type Reply, read } from '../replies.js';
import { type InventoryForm, inventoryForms } from '../seed/inventory.js';
import { find } from '../workflow/cases.js';
import { fresh, touch } from '../workflow/changes.js';
import { type Committed, carryOutOnce, conflict, expectCurrent, unfit } from '../workflow/commands.js';
import { underExternalId } from '../workflow/inventory.js';
import { mustBeFilled, readValues } from '../workflow/inventory-values.js';
import type { InventoryCommand, InventoryVehicle } from '../workflow/vehicle-entities.js';
import { inventoryCommandView, schemaView, statusView } from '../workflow/vehicle-views.js';
import type { World } from '../world.js';

const { operations } = inventory;

/** A59, A60, A63: the bank's private inventory. Its vehicles go by private UUIDs, never by the ids of lots. */
export const inventoryHandlers: Readonly<Record<string, Handler>> = {
  [operations.createVehicle.id]: create,
  [operations.updateVehicle.id]: update,
  [operations.schemas.id]: schemas,
};

/** It travels as a POST that names its method in the body. */
const updateBody = operations.updateVehicle.body.extend({ _method: z.literal('PATCH') });

function create(call: Call): Reply {
  return carryOutOnce(call, operations.createVehicle.body, (body) => {
    const { world, party } = call;
    const form = formOf(call, body.schema_version);
    const values = readValues(call, form);
    mustBeFilled(call, form, values);
    const known = underExternalId(world, party.bankId, body.external_id);
    if (known !== undefined) return duplicate(world, known);
    const vehicle: InventoryVehicle = {
      ...fresh(world, 'veh', 'inventory_vehicle', 'draft', { bankId: party.bankId, partnerId: null }),
      id: world.ids.uuid(),
      externalId: body.external_id,
      title: body.title,
      form,
      values,
      lot: undefined,
      lastCommand: undefined,
    };
    world.cases.inventory.set(vehicle.id, vehicle);
    return committed(world, vehicle);
  });
}

function update(call: Call): Reply {
  return carryOutOnce(call, updateBody, (body) => {
    const { world, party } = call;
    const vehicle = find(party, world.cases.inventory, param(call, 'vehicle'));
    if (vehicle.state !== 'draft') throw noDraft(call, vehicle);
    expectCurrent(body.expected_version, vehicle.version, 'the inventory_version of this vehicle');
    const given = readValues(call, vehicle.form);
    mustBeFilled(call, vehicle.form, new Map([...vehicle.values, ...given]));
    for (const [id, value] of given) vehicle.values.set(id, value);
    vehicle.title = body.title ?? vehicle.title;
    touch(world, vehicle);
    return committed(world, vehicle);
  });
}

/** The forms of the caller's bank; a partner, where it may read them, sees none of the private fields. */
function schemas(call: Call): Reply {
  const { world, party } = call;
  const own = inventoryForms.filter(({ bankId }) => bankId === party.bankId);
  return read(
    call,
    own.map((form) => schemaView(world, form, party.actor)),
  );
}

function formOf({ party }: Call, schemaVersion: string | number): InventoryForm {
  const found = inventoryForms.find(
    (form) => form.bankId === party.bankId && form.schemaVersion === schemaVersion,
  );
  if (found === undefined) throw unfit('schema_version', 'There is no such inventory schema.');
  return found;
}

/** An `external_id` that the bank has (unknowns: `inventory-duplicates`). */
function duplicate(world: World, known: InventoryVehicle): Committed {
  const answer = world.settings.variants['inventory-duplicates'];
  if (answer === '422') throw unfit('external_id', 'The bank has a vehicle under this id.');
  if (answer === '409' || known.lastCommand === undefined) {
    throw conflict('The bank has a vehicle under this external_id.');
  }
  return { record: known.lastCommand, view: inventoryCommandView(world, known.lastCommand), known: true };
}

function noDraft(call: Call, vehicle: InventoryVehicle): Refusal {
  const message = `The vehicle is ${statusView(call.world, vehicle.state)}; only a draft can be changed.`;
  if (call.world.settings.variants['inventory-conflict-code'] === 'message') return conflict(message);
  const code = 'VEHICLE_NOT_DRAFT';
  const content = { success: false, code, message, data: null, errors: [code] };
  return new Refusal(bidEnvelope(call, 409, content));
}

/** Notes a command with the vehicle as it left it. */
function committed(world: World, vehicle: InventoryVehicle): Committed {
  const command: InventoryCommand = {
    ...fresh(world, 'inv', 'inventory_command', 'completed', vehicle.owner),
    vehicleId: vehicle.id,
    inventoryVersion: vehicle.version,
    status: vehicle.state,
    externalId: vehicle.externalId,
    schemaVersion: vehicle.form.schemaVersion,
    title: vehicle.title,
  };
  vehicle.lastCommand = command;
  return { record: command, view: inventoryCommandView(world, command) };
}
