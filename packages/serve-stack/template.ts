/** Reads a cloud assembly: its stack, and what the intrinsic functions of the template stand for. */
export { constructNamesOf } from './src/template/construct-names.ts';
export { arnOf, defaultEnvironment } from './src/template/environment.ts';
export { createResolver } from './src/template/intrinsics.ts';
export { tablesIn } from './src/template/table-names.ts';
export { loadStack, type Resource, resourcesOf, type Stack } from './src/template/template.ts';
