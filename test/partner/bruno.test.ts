import { expect, test } from 'vitest';
import { operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { brunoFiles } from '../../partner/openapi/bruno.ts';

const files = brunoFiles();
const byFolder = Map.groupBy(files.keys(), (path) => path.split('/').slice(0, -1).join('/'));

test('the collection has each operation once', () => {
  const ids = [...files.keys()].flatMap((path) => /^(?!environments)[\w-]+\/(\w+)\.bru$/.exec(path)?.[1] ?? []);
  expect(ids.toSorted()).toEqual(operationIds.toSorted());
});

test('the requests of each folder are numbered from 1, deletions last', () => {
  for (const [folder, paths] of byFolder) {
    if (folder === '' || folder === 'environments') continue;
    const texts = paths.map((path) => files.get(path) ?? '');
    expect(texts.map((text) => Number(/^ {2}seq: (\d+)$/m.exec(text)?.[1]))).toEqual(
      paths.map((_, index) => index + 1),
    );
    const areDeletions = texts.map((text) => /^delete \{$/m.test(text));
    expect(areDeletions).toEqual(areDeletions.toSorted());
  }
});
