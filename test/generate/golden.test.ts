import { expect, it } from 'vitest';
import { formatted } from '../../tools/generate/format.js';
import { renderModels } from '../../tools/generate/models.js';
import { renderOpenApi } from '../../tools/generate/openapi.js';
import { renderReference } from '../../tools/generate/reference.js';
import { renderResources } from '../../tools/generate/resources.js';
import { renderRoutes } from '../../tools/generate/routes.js';
import { catalogue } from './samples.js';

/** Everything that is generated from the sample, which has what the generator knows. `vitest -u` rewrites it. */
const code = formatted(
  new Map([renderModels, renderRoutes, renderResources].flatMap((render) => [...render(catalogue)])),
);
const pages = [...renderReference(catalogue)].filter(([path]) => /sample|README|models|planned/.test(path));
const whole = [...code, ...pages, ['openapi.json', renderOpenApi(catalogue, '1.2.3')]].map(
  ([path = '', text = '']) => [path.replaceAll('/', '-').replace(/\.(ts|json|md)$/, ''), text] as const,
);

it.each(whole)('%s is generated from the sample as the golden file has it', async (name, text) => {
  await expect(text).toMatchFileSnapshot(`golden/${name}.txt`);
});
