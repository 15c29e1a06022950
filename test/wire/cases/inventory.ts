import { KEY } from '../../support/clients.js';
import type { WireCase } from '../case.js';
import { commandReplies, further, readReplies, record } from '../replies.js';

const VEHICLE = '7b2f6f0c-54a3-4d6e-9a25-0c9f5d1e2a77';

const command = record({
  id: 'inv_1',
  kind: 'inventory_command',
  state: 'completed',
  data: {
    vehicle_id: VEHICLE,
    inventory_version: 12,
    status: 'draft',
    external_id: 'LN-90017',
    schema_version: 's-4',
    title: 'Swift VXI 2019',
  },
});

const schemas = [
  { schema_version: 's-4', name: 'Cars', version: 4, fields: [{ id: 'f_17', anything: null }], ...further },
  { schema_version: 5, name: 'Two-wheelers', version: '1', fields: { f_18: {} } },
];

const values = { f_17: 'petrol', f_18: null, f_19: ['a', 2] };

export const inventory: readonly WireCase[] = [
  {
    // rule: state.inventory-command
    operation: 'inventory.createVehicle',
    id: 'A59',
    route: 'POST /bank/inventory/vehicles',
    wire: 'POST /api/v1/bank/inventory/vehicles',
    effect: 'command',
    calls: [
      {
        name: 'with every field',
        by: {
          bank: (client, options) =>
            client.inventory.createVehicle(
              { title: 'Swift VXI 2019', external_id: 'LN-90017', schema_version: 's-4', values },
              options,
            ),
        },
        body: `{"title":"Swift VXI 2019","external_id":"LN-90017","schema_version":"s-4","values":{"f_17":"petrol","f_18":null,"f_19":["a",2]},"idempotency_key":"${KEY}"}`,
      },
      {
        name: 'with a list of values',
        by: {
          bank: (client, options) =>
            client.inventory.createVehicle(
              {
                title: 'Swift VXI 2019',
                external_id: 'LN-90017',
                schema_version: 5,
                values: [{ f_17: 'diesel' }],
              },
              options,
            ),
        },
        body: `{"title":"Swift VXI 2019","external_id":"LN-90017","schema_version":5,"values":[{"f_17":"diesel"}],"idempotency_key":"${KEY}"}`,
      },
    ],
    replies: commandReplies(command),
  },
  {
    // rule: state.inventory-command, convention.4, version.4
    operation: 'inventory.updateVehicle',
    id: 'A60',
    route: 'PATCH /bank/inventory/vehicles/{vehicle}',
    wire: `POST /api/v1/bank/inventory/vehicles/${VEHICLE}`,
    signed: 'PATCH',
    effect: 'command',
    calls: [
      {
        name: 'by id and version',
        by: {
          bank: (client, options) =>
            client.inventory.updateVehicle(
              VEHICLE,
              { title: 'Swift VXI, 2019', values, expected_version: 12 },
              options,
            ),
        },
        body: `{"title":"Swift VXI, 2019","values":{"f_17":"petrol","f_18":null,"f_19":["a",2]},"expected_version":12,"idempotency_key":"${KEY}","_method":"PATCH"}`,
      },
      {
        name: 'by the record of the last command',
        by: {
          bank: (client, options) =>
            client.inventory.updateVehicle(command, { title: 'Swift VXI, 2019', values }, options),
        },
        body: `{"title":"Swift VXI, 2019","values":{"f_17":"petrol","f_18":null,"f_19":["a",2]},"expected_version":12,"idempotency_key":"${KEY}","_method":"PATCH"}`,
      },
      {
        name: 'with what it must have',
        by: {
          bank: (client, options) =>
            client.inventory.updateVehicle(VEHICLE, { expected_version: 12 }, options),
        },
        body: `{"expected_version":12,"idempotency_key":"${KEY}","_method":"PATCH"}`,
      },
      {
        name: 'with a field that the SDK does not know',
        by: {
          bank: (client, options) =>
            client.inventory.updateVehicle(
              command,
              {},
              { ...options, extraBody: { colour: 'red' }, extraQuery: { dry_run: true } },
            ),
        },
        query: 'dry_run=true',
        body: `{"expected_version":12,"idempotency_key":"${KEY}","colour":"red","_method":"PATCH"}`,
      },
    ],
    replies: commandReplies({ ...command, data: { ...command.data, inventory_version: 13 } }),
  },
  {
    // rule: version.2
    operation: 'inventory.schemas',
    id: 'A63',
    route: 'GET /bank/inventory/schemas',
    wire: 'GET /api/v1/bank/inventory/schemas',
    effect: 'read',
    calls: [{ name: 'as it is', by: { bank: (client) => client.inventory.schemas() } }],
    replies: [...readReplies(schemas), ...readReplies([])],
  },
];
