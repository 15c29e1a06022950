import { KEY } from '../../support/clients.js';
import { asks, byRecord, sends, type WireCase, wire, withExtra } from '../case.js';
import { commandReplies, further, readReplies, record } from '../replies.js';

const VEHICLE = '7b2f6f0c-54a3-4d6e-9a25-0c9f5d1e2a77';

const command = record('inv_1', 'inventory_command', 'completed', {
  vehicle_id: VEHICLE,
  inventory_version: 12,
  status: 'draft',
  external_id: 'LN-90017',
  schema_version: 's-4',
  title: 'Swift VXI 2019',
});
const nextCommand = { ...command, data: { ...command.data, inventory_version: 13 } };

const schemas = [
  { schema_version: 's-4', name: 'Cars', version: 4, fields: [{ id: 'f_17', anything: null }], ...further },
  { schema_version: 5, name: 'Two-wheelers', version: '1', fields: { f_18: {} } },
];

const values = { f_17: 'petrol', f_18: null, f_19: ['a', 2] };
const vehicle = { title: 'Swift VXI 2019', external_id: 'LN-90017', schema_version: 's-4', values };
const listed = { ...vehicle, schema_version: 5, values: [{ f_17: 'diesel' }] };

const update = { expected_version: 12, idempotency_key: KEY };
const change = { title: 'Swift VXI, 2019', values, ...update, _method: 'PATCH' };

export const inventory: readonly WireCase[] = [
  // rule: state.inventory-command
  wire(
    'inventory.createVehicle A59 POST /bank/inventory/vehicles inventory:write bank',
    [],
    [sends({ ...vehicle, idempotency_key: KEY }), sends({ ...listed, idempotency_key: KEY })],
    commandReplies(command),
  ),
  // rule: state.inventory-command, convention.4, version.4
  wire(
    'inventory.updateVehicle A60 PATCH /bank/inventory/vehicles/{vehicle} inventory:write bank',
    [VEHICLE],
    [
      sends(change),
      byRecord(command, change),
      sends({ ...update, _method: 'PATCH' }),
      withExtra(
        { ...update, colour: 'red', _method: 'PATCH' },
        { colour: 'red' },
        { dry_run: true },
        'dry_run=true',
      ),
    ],
    commandReplies(nextCommand),
  ),
  // rule: version.2
  wire(
    'inventory.schemas A63 GET /bank/inventory/schemas inventory-schema:read bank',
    [],
    [asks()],
    [...readReplies(schemas), ...readReplies([])],
  ),
];
