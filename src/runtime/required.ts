/**
 * Loads a module that may not be installed. Bundlers don't follow it, so that a program without the module can be bundled; one
 * that is bundled looks where it is installed, where it runs, and where it was started.
 *
 * @throws the error of the first place, if no place has it
 */
export function required(name: string): unknown {
  const { createRequire } = process.getBuiltinModule('node:module');
  // A bundler that makes CommonJS of this leaves no URL.
  const places = [import.meta.url, process.argv[1], `${process.cwd()}/`].filter((place) => Boolean(place));
  let failure: unknown;
  for (const place of places) {
    try {
      return createRequire(place ?? '')(name);
    } catch (error) {
      failure ??= error;
    }
  }
  throw failure;
}
