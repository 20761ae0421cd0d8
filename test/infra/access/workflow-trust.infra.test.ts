import { beforeAll, describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../../config/load.ts';
import { accessTemplateOf, resourcesOf, type Template } from '../synthesized.ts';

/** Which runs of which repository can assume the roles of the workflow, by the claims that GitHub signs. */
const provider = 'token.actions.githubusercontent.com';
const workflow = { repository: 'Maker/partner-api', ownerId: 1234, repositoryId: 5678, reuseIdentityProvider: false };

let access: Template;
beforeAll(() => {
  access = accessTemplateOf({ ...loadStageConfig('example'), workflow });
});

type TrustStatement = {
  readonly Effect: string;
  readonly Action: string;
  readonly Principal: object;
  readonly Condition: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

const trustOf = (): [role: string, TrustStatement[]][] =>
  resourcesOf(access, 'AWS::IAM::Role').map(([, { Properties }]) => [
    Properties.RoleName.replace('PartnerApiAccess-test-', ''),
    Properties.AssumeRolePolicyDocument.Statement,
  ]);

type Claims = { readonly aud?: string; readonly sub: string; readonly repository_id?: string };

/** Returns the roles of a run whose token has these claims. As in IAM, a condition fails if the token lacks its key. */
const rolesFor = ({ aud = 'sts.amazonaws.com', ...others }: Claims): string[] => {
  const claims: Readonly<Record<string, string>> = { aud, ...others };
  const holds = ({ Condition }: TrustStatement) =>
    Object.entries(Condition.StringEquals ?? {}).every(
      ([key, value]) => claims[key.replace(`${provider}:`, '')] === value,
    );
  return trustOf().flatMap(([role, statements]) => (statements.some(holds) ? [role] : []));
};

test('each statement compares complete texts, including the subject, and uses no pattern', () => {
  const statements = trustOf().flatMap(([, each]) => each);
  expect(statements).toHaveLength(4);
  for (const { Effect, Action, Principal, Condition } of statements) {
    expect([Effect, Action]).toEqual(['Allow', 'sts:AssumeRoleWithWebIdentity']);
    expect(Principal).toEqual({ Federated: expect.stringMatching(/:oidc-provider\/token\.actions\.github/) });
    expect(Object.keys(Condition)).toEqual(['StringEquals']);
    expect(Object.keys(Condition.StringEquals ?? {})).toEqual(
      expect.arrayContaining([`${provider}:aud`, `${provider}:sub`]),
    );
    expect(JSON.stringify(Condition)).not.toMatch(/[*?]/);
  }
});

const [main, stage] = ['ref:refs/heads/main', 'environment:test'];
const named = 'repo:Maker/partner-api';
const withIds = 'repo:Maker@1234/partner-api@5678';

describe('a run of the repository gets its role with either format of the subject', () => {
  test.each<[string, Claims, string[]]>([
    ['main, with ids in the subject', { sub: `${withIds}:${main}` }, ['plan']],
    ['main, with names alone', { sub: `${named}:${main}`, repository_id: '5678' }, ['plan']],
    ['the environment, with ids', { sub: `${withIds}:${stage}`, repository_id: '5678' }, ['deploy']],
    ['the environment, with names alone', { sub: `${named}:${stage}`, repository_id: '5678' }, ['deploy']],
  ])('%s', (_, claims, roles) => {
    expect(rolesFor(claims)).toEqual(roles);
  });
});

describe('no other run gets a role:', () => {
  test.each<[string, Claims]>([
    ['another repository that took the name', { sub: `${named}:${stage}`, repository_id: '9999' }],
    ['one that took it since July 2026', { sub: `repo:Maker@4321/partner-api@9999:${stage}`, repository_id: '9999' }],
    ['names without any id', { sub: `${named}:${stage}` }],
    ['another repository of the owner', { sub: `repo:Maker@1234/other@5679:${stage}`, repository_id: '5679' }],
    ['a longer name', { sub: `${named}-copy:${stage}`, repository_id: '9999' }],
    ['a longer id', { sub: `${withIds}0:${stage}`, repository_id: '56780' }],
    ['one id alone', { sub: `repo:Maker/partner-api@5678:${stage}`, repository_id: '9999' }],
    ['hyphens in place of at signs', { sub: `repo:Maker-1234/partner-api-5678:${stage}`, repository_id: '9999' }],
    ['the ids exchanged', { sub: `repo:Maker@5678/partner-api@1234:${stage}`, repository_id: '1234' }],
    ['another spelling', { sub: `repo:maker/Partner-Api:${stage}`, repository_id: '9999' }],
    ['an owner that is a pattern', { sub: `repo:*/partner-api:${stage}`, repository_id: '*' }],
    ['a longer branch', { sub: `${withIds}:${main}-2` }],
    ['a tag', { sub: `${withIds}:ref:refs/tags/main` }],
    ['a pull request', { sub: `${withIds}:pull_request` }],
    ['the environment of another stage', { sub: `${withIds}:environment:prod` }],
    ['an environment with a colon in its name', { sub: `${withIds}:${stage}%3Aprod` }],
    ['another audience', { aud: 'https://github.com/Maker', sub: `${withIds}:${stage}` }],
  ])('%s', (_, claims) => {
    expect(rolesFor(claims)).toEqual([]);
  });
});
