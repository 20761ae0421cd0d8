/** Reads a cloud assembly: its stack, and what the intrinsic functions of the template stand for. */

export { createResolver } from './src/template/intrinsics.ts';
export { nestedStacksIn, withNestedStacks } from './src/template/nested-stacks.ts';
export {
  arnOf,
  constructNamesOf,
  defaultEnvironment,
  loadStack,
  type Resource,
  resourcesOf,
  type Stack,
  tablesIn,
} from './src/template/template.ts';
