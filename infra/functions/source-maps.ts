import { AssetStaging, FileAssetPackaging, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Bundle } from './bundle.ts';

/**
 * Lets a deployment leave the source map of a bundle where it leaves the code: in the account's bucket for assets, as
 * `<bundle id>.map`. So the map of whatever once ran is found by the id that stands in its stacks.
 */
export const keepSourceMap = (scope: Construct, { id, sourceMap }: Bundle): void => {
  const stack = Stack.of(scope);
  const staged = new AssetStaging(scope, 'SourceMap', { sourcePath: sourceMap });
  stack.synthesizer.addFileAsset({
    sourceHash: id,
    fileName: staged.relativeStagedPath(stack),
    packaging: FileAssetPackaging.FILE,
  });
};
