import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import owasp from '@stoplight/spectral-owasp-ruleset';
import parsers from '@stoplight/spectral-parsers';
import { beforeAll, expect, test } from 'vitest';
import { openApiText } from '../../../partner/openapi/document.ts';
import { proven } from '../../support/campaign.ts';

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

// The module exports the rules directly, although its types declare a `default` export.
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

test('the linters find no errors or warnings in the API document except the listed exceptions', () => {
  expect(findings.filter((finding) => excuses(finding).length === 0)).toEqual([]);
});

test('every exception is needed', () => {
  const used = new Set(findings.flatMap(excuses));
  expect(exceptions.filter((exception) => !used.has(exception))).toEqual([]);
});

test('the linters find missing parts', proven, async () => {
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

/** A rule that a part of the document may violate, and the reason. */
type Exception = {
  readonly rule: string;
  /** The places, as JSON pointers. */
  readonly places: { test(place: string): boolean };
  readonly reason: string;
};

const formatAt = (place: string) => {
  const names = place.split('/').slice(1);
  const plain = (name: string) => name.replaceAll('~1', '/').replaceAll('~0', '~');
  return names.reduce((part, name) => part[plain(name)], JSON.parse(text)).format;
};

/** All findings that are allowed. An exception without a finding fails the test. */
const exceptions: readonly Exception[] = [
  {
    rule: 'no-unused-components',
    places: /^#\/components\/responses\/route-not-found$/,
    reason: 'The answer to a request that is no operation: no operation refers to it, and partners look it up.',
  },
  {
    rule: 'owasp:api8:2023-define-cors-origin',
    places: /^#\/(components|paths\/.*\/responses\/2\d\d)\/(responses\/[^/]+\/)?headers$/,
    reason: 'Servers of partners call the API. No page of another origin may read an answer, so none names an origin.',
  },
  {
    rule: 'owasp:api8:2023-define-error-validation',
    places: /^#\/paths\/(~1contract|~1api-keys~1me)\/get\/responses$/,
    reason: 'The operation takes no input that could be wrong.',
  },
  {
    rule: 'owasp:api4:2023-string-restricted',
    places: /^#\/components\/schemas\/\w+Problem\/properties\/(title|detail)$/,
    reason: 'Words for a person, which may get better within v1; programs tell problems apart by `code`.',
  },
  {
    rule: 'owasp:api4:2023-string-restricted',
    places: /^#\/components\/schemas\/InvalidRequestProblem\/properties\/errors\/items\/properties\/(pointer|detail)$/,
    reason: 'Both may quote what the request has, whatever that is.',
  },
  {
    rule: 'owasp:api4:2023-string-restricted',
    places:
      /^#\/components\/schemas\/(?!\w+Update\/)\w+\/.*\b(operationMode|(operationModes|levels)\/items|level|setpoint|(actorKeyL|l)abel|fault)$/,
    reason: 'The maker of the appliance, a partner or the network chooses these words. A validator must take each.',
  },
  {
    rule: 'owasp:api4:2023-string-restricted',
    places: /^#\/components\/schemas\/(Measurement|WebhookAttempt)\/properties\/\w+$/,
    reason: 'A later version may have another word.',
  },
  {
    rule: 'owasp:api4:2023-string-restricted',
    places: /^#\/components\/schemas\/Gateway\/properties\/((components|faults)\/items\/properties\/)?\w+$/,
    reason: 'The owner and the maker of the appliance choose these texts.',
  },
  {
    rule: 'owasp:api4:2023-string-restricted',
    places:
      /^#\/components\/schemas\/(Heating|Dhw)(TimeProgram\/properties\/name|Circuit(InEvent|WithPrograms)?\/properties\/displayName)$/,
    reason: 'Somebody may have chosen the name at the appliance.',
  },
  {
    rule: 'owasp:api4:2023-string-restricted',
    places: /^#\/components\/schemas\/\w+\/properties\/lastRefusal\/properties\/(reason|detail)$/,
    reason: 'The maker of the appliance chooses these texts.',
  },
  {
    rule: 'owasp:api4:2023-string-limit',
    places: { test: (place) => ['date', 'date-time', 'uri'].includes(formatAt(place)) },
    reason: 'Generated programs have a date or a URL there. Some do not compile with a length of it, others refuse it.',
  },
  {
    rule: 'operation-operationId',
    places: /^#\/webhooks\/[\w.]+\/post\/operationId$/,
    reason: 'The service sends it. With an id, generated clients would have it as an operation to call.',
  },
];
