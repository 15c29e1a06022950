import * as z from 'zod';
import { anyObject, expectedVersion, filledText, idempotencyKey, oneOf, openEnum, pathId } from './common.js';
import { nullable, optional } from './fields.js';
import { command, read, resource } from './operation.js';
import { workflowRecord } from './records.js';

export const InventoryCommandData = z
  .object({
    vehicle_id: optional.text(
      'Private inventory UUID of the vehicle. Not a public lot id; you cannot bid with it.',
    ),
    inventory_version: optional.int(
      'Version of the vehicle after this command; the next update sends it as `expected_version`.',
    ),
    status: optional.of(openEnum('draft', 'ready'), 'Status of the vehicle; `draft` after it was created.'),
    external_id: optional.text("The bank's own id of the vehicle."),
    schema_version: optional.of(
      z.union([z.string(), z.number()]),
      'Version of the inventory schema that the values follow.',
    ),
    title: nullable.text('Headline of the vehicle.'),
  })
  .meta({ title: 'Result of an inventory command.', section: 'Workflow record' });

export const InventoryCommandRecord = workflowRecord({
  kind: 'inventory_command',
  states: ['completed'],
  data: InventoryCommandData,
  what: 'an inventory command',
  version: 'Version of this record; an update of the vehicle sends `data.inventory_version` instead.',
});

export const InventorySchema = z
  .object({
    schema_version: z
      .union([z.string(), z.number()])
      .describe('Version to name in `createVehicle`; string or number is undocumented.'),
    name: optional.text('Name of the schema.'),
    version: optional.of(z.union([z.string(), z.number()]), 'Version number of the schema itself.'),
    fields: optional.of(
      z.union([z.array(z.unknown()), anyObject]),
      'The fields that a vehicle can have: id, label, type, enum values; the shape of an entry is undocumented.',
    ),
  })
  .meta({ title: "The bank's form for vehicles in inventory.", section: 'Non-record read shapes' });

/**
 * Schema and values as A59 takes them; neither form is documented (unknowns: `policy-version-type`,
 * `inventory-values-form`).
 */
const schemaVersion = oneOf([filledText, z.number()], 'must be the schema_version that the service gave');
const values = oneOf([anyObject, z.array(z.unknown())], 'must be an object keyed by field id');

export const inventory = resource(
  'inventory',
  "The bank's private vehicle inventory: create, update, and the schemas that it follows.",
  {
    createVehicle: command({
      id: 'A59',
      path: '/bank/inventory/vehicles',
      scope: 'inventory:write',
      actors: ['bank'],
      summary: 'Creates a draft vehicle in the private inventory.',
      notes: [
        'Keep the returned record: it holds the private `vehicle_id` and the `inventory_version` for the next update.',
        "A second vehicle with an `external_id` that the bank already uses is detected; the API doesn't show the code.",
      ],
      section: 'Inventory',
      body: z.strictObject({
        title: filledText.describe('Headline of the vehicle.'),
        external_id: filledText.describe("The bank's own id of the vehicle, unique within the bank."),
        schema_version: schemaVersion.describe(
          'Version of the inventory schema that the values follow, as `inventory.schemas` gives it.',
        ),
        values: values.describe('Values of the dynamic fields, keyed by field id.'),
        idempotency_key: idempotencyKey,
      }),
      reply: InventoryCommandRecord,
      refusals: ['IDEMPOTENCY_KEY_REQUIRED', 'IDEMPOTENCY_CONFLICT'],
    }),
    updateVehicle: command({
      id: 'A60',
      method: 'PATCH',
      path: '/bank/inventory/vehicles/{vehicle}',
      scope: 'inventory:write',
      actors: ['bank'],
      summary: 'Updates a draft vehicle. Given fields are merged; omitted ones stay.',
      notes: [
        'Only a draft can be updated: on a ready or published vehicle the service answers 409; its code is undocumented.',
        'The expected version is the `inventory_version` of the last command on this vehicle, not a `resource_version`.',
      ],
      section: 'Inventory',
      params: {
        vehicle: pathId.describe(
          'Private inventory UUID of the vehicle: the `vehicle_id` of its last command. Not a public lot id.',
        ),
      },
      body: z.strictObject({
        title: optional.of(filledText, 'New headline of the vehicle. Omit it to keep the current one.'),
        values: optional.of(values, 'Values to merge, keyed by field id. Omitted fields keep their values.'),
        expected_version: expectedVersion.describe(
          'The `inventory_version` that the last command on this vehicle returned.',
        ),
        idempotency_key: idempotencyKey,
      }),
      versionFrom: { param: 'vehicle', kind: 'inventory_command', field: 'inventory_version' },
      reply: InventoryCommandRecord,
    }),
    schemas: read({
      id: 'A63',
      path: '/bank/inventory/schemas',
      scope: 'inventory-schema:read',
      actors: ['bank'],
      summary: 'Reads the inventory schemas: the fields of a vehicle and their ids.',
      notes: ['Field ids stay the same when a field is renamed. Key values by id, never by label.'],
      section: 'Inventory',
      reply: z.array(InventorySchema),
    }),
  },
);
