/** `import.meta.url` in CommonJS: the path of the file; undefined where a bundler makes an ES module of it. */
export const importMetaUrl = typeof __filename === 'undefined' ? undefined : __filename;
