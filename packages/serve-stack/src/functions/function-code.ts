import { cpSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserFacingError } from '../errors/user-facing-error.ts';
import type { Stack } from '../template/template.ts';
import type { FunctionDefinition } from './function-definitions.ts';

/** Puts a function's code into a folder, as it would lie in its own file system on AWS. */
export const unpackCode = ({ assetPaths }: Stack, { name, code }: FunctionDefinition, folder: string): void => {
  const { S3Key, ZipFile } = code;
  if (S3Key !== undefined) cpSync(assetFolder(assetPaths, name, S3Key), folder, { recursive: true });
  else if (ZipFile !== undefined) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'index.js'), ZipFile);
  } else throw new UserFacingError(`The function ${name} has neither an asset nor code in the template.`);
};

const assetFolder = (assetPaths: Stack['assetPaths'], name: string, objectKey: string): string => {
  const path = assetPaths.get(objectKey);
  if (!path) throw new UserFacingError(`The cloud assembly has no asset ${objectKey}, the code of ${name}.`);
  if (statSync(path).isDirectory()) return path;
  throw new UserFacingError(`The local run knows assets that are folders; that of ${name} is the file ${path}.`);
};
