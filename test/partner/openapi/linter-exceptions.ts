/** A rule that does not hold for a part of the document, and why. */
export type Exception = {
  readonly rule: string;
  /** The places by their JSON pointers. */
  readonly places: RegExp;
  readonly reason: string;
};

/** All that the linters of the API document may find. An exception that nothing needs any more fails the test. */
export const exceptions: readonly Exception[] = [
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
    places: /^#\/components\/schemas\/Gateway\/properties\/(components\/items\/properties\/)?\w+$/,
    reason: 'The owner and the maker of the appliance choose these texts.',
  },
  {
    rule: 'owasp:api4:2023-string-restricted',
    places: /^#\/components\/schemas\/\w+\/properties\/lastRefusal\/properties\/(reason|detail)$/,
    reason: 'The maker of the appliance chooses these texts.',
  },
  {
    rule: 'operation-operationId',
    places: /^#\/webhooks\/[\w.]+\/post\/operationId$/,
    reason: 'The service sends it. With an id, generated clients would have it as an operation to call.',
  },
];
