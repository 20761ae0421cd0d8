/** Reads a cloud assembly: its stack, and the values of the template's intrinsic functions. */

export { createResolver } from './src/template/intrinsics.ts';
export {
  arnOf,
  constructNamesOf,
  defaultEnvironment,
  loadStack,
  type Resource,
  resourcesOf,
  type Stack,
  tablesIn,
} from './src/template/stack.ts';
