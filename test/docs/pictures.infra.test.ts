import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type PictureName, shownIn } from '../../local/rehearsal/shown-in-pictures.ts';
import { templateOfStage } from '../infra/synthesized.ts';

const images = new URL('../../docs/images/', import.meta.url);
const shown = JSON.parse(readFileSync(new URL('shown.json', images), 'utf8'));
const remedy = 'Run npm run pictures, look at the picture, and commit it with shown.json.';

test.each(['on-call.png', 'api-page.png'] as const)('docs/images/%s shows what there is', async (name: PictureName) => {
  const now = shownIn(await templateOfStage('local'))[name];
  expect(now.length).toBeGreaterThan(10);
  expect(shown[name].shows, remedy).toEqual(now);
  const drawn = createHash('sha256').update(readFileSync(new URL(name, images)));
  expect(drawn.digest('hex'), `It is not the picture that shown.json tells of. ${remedy}`).toBe(shown[name].sha256);
});
