import { readFileSync } from 'node:fs';

/** Refuses to publish while `repository` in package.json is a placeholder: provenance and `npm view` would name nothing. */
const { repository } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly repository: { readonly url: string };
};
if (repository.url.includes('/OWNER/')) {
  console.error(
    'package.json: put the address of the repository into "repository.url" before you publish, then run `npm run generate`.',
  );
  process.exit(1);
}
