import { moneyKinds } from './money-kinds.js';
import type { Section } from './rule.js';
import { saleKinds } from './sale-kinds.js';
import { vehicleKinds } from './vehicle-kinds.js';

export const workflowStates: Section = {
  title: 'Workflow states',
  chapter: 'States and transitions',
  rules: [
    ...saleKinds,
    ...moneyKinds,
    ...vehicleKinds,
    {
      label: 'Other states',
      text: 'A state or kind that is not listed passes through as it came, in every record.',
      kept: 'client',
      code: { 'src/api/records.ts': 'workflowRecord', 'src/core/decode.ts': 'decode' },
      tests: {
        'test/core/workflow-states.test.ts': 'bind nothing: another one passes',
        'test/wire/operations-suite.ts': '%s by a %s reads every reply',
      },
    },
  ],
};
