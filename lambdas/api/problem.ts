import { type ProblemCode, type ProblemHeaders, type ProblemMembers, problems } from './problems.ts';

export const problemMediaType = 'application/problem+json';

type Occurrence<Code extends ProblemCode> = ProblemMembers<Code> & {
  /** Says more than the definition's own text where the occurrence knows more. */
  readonly detail?: string;
};

/** Any code with headers of its own has members too. */
type Arguments<Code extends ProblemCode> =
  unknown extends ProblemMembers<Code>
    ? [Occurrence<Code>?, undefined?]
    : undefined extends ProblemHeaders<Code>
      ? [Occurrence<Code>, undefined?]
      : [Occurrence<Code>, ProblemHeaders<Code>];

/** Thrown anywhere behind the gateway to end a request with the named problem. */
export class Problem<Code extends ProblemCode = ProblemCode> extends Error {
  readonly code: Code;
  readonly occurrence: Occurrence<Code>;
  /** Beyond those that every occurrence has. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: Code, ...[occurrence, headers]: Arguments<Code>) {
    super(code);
    this.name = 'Problem';
    this.code = code;
    this.occurrence = occurrence ?? ({} as Occurrence<Code>);
    this.headers = headers ?? {};
  }
}

/** The body of a problem, RFC 9457. `requestId` may be a placeholder that API Gateway fills in. */
export const problemBody = (code: ProblemCode, requestId: string, occurrence: { detail?: string } = {}) => {
  const { status, title, detail } = problems[code];
  return { type: `urn:partner-api:problem:${code}`, title, status, detail, code, requestId, ...occurrence };
};
