import { copyFileSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPackage } from '../build-package.ts';

const folder = import.meta.dirname;

/** Builds the package that other projects install. */
export const buildServeStack = (outDir: string): void => {
  buildPackage({
    folder,
    tsconfig: join(folder, 'tsconfig.build.json'),
    outDir,
    readme: readFileSync(join(folder, 'README.md'), 'utf8'),
  });
  // The processes of functions start from JavaScript, which the compiler does not copy.
  for (const file of globSync('src/**/*.mjs', { cwd: folder })) copyFileSync(join(folder, file), join(outDir, file));
};

if (import.meta.main) {
  const outDir = join(folder, '../../.build/serve-stack');
  buildServeStack(outDir);
  console.log(`The package, to be installed: npm install ${outDir}`);
}
