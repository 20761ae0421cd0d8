/** The top folders with code, without those of tests. */
export const sourceFolders: readonly string[] = [
  'config',
  'docs',
  'infra',
  'lambdas',
  'local',
  'operator',
  'packages',
  'partner',
  'simulator',
];
