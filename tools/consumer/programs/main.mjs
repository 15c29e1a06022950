import * as modules from './modules.mjs';

const { default: run } = await import(`./${process.argv[2]}.cjs`);
await run(modules, (name) => import(name));
