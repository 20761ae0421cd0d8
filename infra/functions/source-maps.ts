import { AssetStaging, FileAssetPackaging, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Bundle } from './bundle.ts';

/**
 * Lets a deployment leave the source map of a bundle where it leaves the code: in the account's bucket for assets, as
 * `<bundle id>.map`. A map inside the asset would more than double it, and an event of at most 1 kB has no place for frames with
 * the names of sources: it holds positions, and `trace resolve` turns them into places. So the map of whatever once ran is found by the id that stands in its stacks.
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
