import { expect, test } from 'vitest';
import { stateRefusal } from '../../../infra/deploy/stack-state.ts';

test.each([
  ['ROLLBACK_COMPLETE', /first deployment of S failed.*docs\/first-deploy\.md/],
  ['UPDATE_ROLLBACK_FAILED', /continue-update-rollback --stack-name S/],
  ['DELETE_FAILED', /Somebody has deleted S/],
  ['UPDATE_IN_PROGRESS', /Wait until it has ended/],
  ['REVIEW_IN_PROGRESS', undefined],
  ['CREATE_COMPLETE', undefined],
  ['UPDATE_ROLLBACK_COMPLETE', undefined],
] as const)('a stack that is %s is deployed to or not: %s', (StackStatus, sentence) => {
  const refusal = stateRefusal({ StackName: 'S', CreationTime: new Date(0), StackStatus });
  if (sentence) expect(refusal).toMatch(sentence);
  else expect(refusal).toBeUndefined();
});

test('a stack that is not there is deployed to', () => {
  expect(stateRefusal(undefined)).toBeUndefined();
});
