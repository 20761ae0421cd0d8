import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

type Options = {
  /** The folder of the workspace. */
  readonly folder: string;
  /** Names the files to compile. */
  readonly tsconfig: string;
  readonly outDir: string;
  readonly readme: string;
};

/** Builds a package as it is published: JavaScript with types. Node.js does not load TypeScript from `node_modules`. */
export const buildPackage = ({ folder, tsconfig, outDir, readme }: Options): void => {
  rmSync(outDir, { recursive: true, force: true });
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  execFileSync(process.execPath, [compiler, '--project', tsconfig, '--outDir', outDir], { stdio: 'inherit' });
  writeFileSync(join(outDir, 'README.md'), readme);
  copyFileSync(join(import.meta.dirname, '../LICENSE'), join(outDir, 'LICENSE'));
  writeFileSync(join(outDir, 'package.json'), `${JSON.stringify(publishedPackageJson(folder), null, 2)}\n`);
};

/** The package.json of the workspace with compiled files, and without what only the workspace needs. */
const publishedPackageJson = (folder: string) => {
  const { private: _, scripts: __, devDependencies: ___, ...kept } = readPackageJson(folder);
  const compiled = (file: string, extension: string) => file.replace(/\.ts$/, extension);
  const exports = Object.entries(kept.exports).map(([name, file]) => [
    name,
    { types: compiled(file, '.d.ts'), default: compiled(file, '.js') },
  ]);
  const bin = Object.entries(kept.bin ?? {}).map(([name, file]) => [name, compiled(file, '.js')]);
  return { ...kept, ...(bin.length > 0 && { bin: Object.fromEntries(bin) }), exports: Object.fromEntries(exports) };
};

type PackageJson = {
  readonly private?: boolean;
  readonly scripts?: object;
  readonly devDependencies?: object;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string>>;
};

const readPackageJson = (folder: string): PackageJson => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
