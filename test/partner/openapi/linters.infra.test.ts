import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import owasp from '@stoplight/spectral-owasp-ruleset';
import parsers from '@stoplight/spectral-parsers';
import { beforeAll, expect, test } from 'vitest';
import { openApiText } from '../../../partner/openapi/document.ts';
import { campaign, provenTest } from '../../support/campaign.ts';
import { exceptions } from './linter-exceptions.ts';

type Finding = { readonly rule: string; readonly place: string; readonly message: string };

const redocly = async (text: string): Promise<Finding[]> => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source: text, absoluteRef: '/openapi.json', config });
  return problems.map(({ ruleId, message, location }) => ({
    rule: ruleId,
    place: location[0]?.pointer ?? '',
    message,
  }));
};

// The module exports the rules themselves; its types say that it exports them as `default`.
const owaspRules = owasp as unknown as typeof owasp.default;

const spectralWithOwaspRules = async (text: string): Promise<Finding[]> => {
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [[owaspRules, 'all']] });
  const results = await linter.run(new spectral.Document(text, parsers.Json, 'openapi.json'));
  return results.map(({ code, path, message }) => ({ rule: String(code), place: pointerOf(path), message }));
};

const pointerOf = (path: readonly (string | number)[]) =>
  ['#', ...path.map((segment) => String(segment).replaceAll('~', '~0').replaceAll('/', '~1'))].join('/');

const excuses = ({ rule, place }: Finding) =>
  exceptions.filter((exception) => exception.rule === rule && exception.places.test(place));

const linters = { redocly, spectralWithOwaspRules };
const text = openApiText();
const findings: Finding[] = [];
beforeAll(async () => {
  for (const lint of Object.values(linters)) findings.push(...(await lint(text)));
});

test('the linters find nothing in the API document, warnings included, but for the named exceptions', () => {
  expect(findings.filter((finding) => excuses(finding).length === 0)).toEqual([]);
});

test('every exception is needed', () => {
  const used = new Set(findings.flatMap(excuses));
  expect(exceptions.filter((exception) => !used.has(exception))).toEqual([]);
});

provenTest('the linters would find what is missing', campaign, async () => {
  const document = JSON.parse(text);
  const { paths, components } = document;
  delete document.security;
  delete paths['/hvacs/{gatewayId}'].get.operationId;
  delete components.schemas.Contract.properties.userId.maxLength;
  delete components.schemas.GatewayPage.properties.items.maxItems;
  delete components.schemas.HeatingCircuit.properties.version.maximum;
  const found = [];
  for (const lint of Object.values(linters)) found.push(...(await lint(JSON.stringify(document))));
  expect(found.filter((finding) => excuses(finding).length === 0).map(({ rule }) => rule)).toEqual(
    expect.arrayContaining([
      'security-defined',
      'operation-operationId',
      'owasp:api4:2023-string-limit',
      'owasp:api4:2023-array-limit',
      'owasp:api4:2023-integer-limit',
    ]),
  );
});
