import { type ProblemCode, type ProblemHeaders, type ProblemMembers, problems } from './problems.ts';

export const problemMediaType = 'application/problem+json';

type Occurrence<Code extends ProblemCode> = ProblemMembers<Code> & {
  /** Says more than the definition's own text if the occurrence knows more. */
  readonly detail?: string;
};

/** Any code with headers of its own has members too. */
type Arguments<Code extends ProblemCode> =
  unknown extends ProblemMembers<Code>
    ? [Occurrence<Code>?, undefined?]
    : undefined extends ProblemHeaders<Code>
      ? [Occurrence<Code>, undefined?]
      : [Occurrence<Code>, ProblemHeaders<Code>];

/** A refusal, as a value: what a step or a handler gives back in place of what it was to give. */
export class Problem<Code extends ProblemCode = ProblemCode> {
  readonly code: Code;
  /** The extension members, and the detail if the occurrence has one of its own. */
  readonly occurrence: object;
  /** Headers beyond those that every occurrence has. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: Code, ...[occurrence, headers]: Arguments<Code>) {
    this.code = code;
    this.occurrence = occurrence ?? {};
    this.headers = headers ?? {};
  }
}

/** Sends a reader on behind a hole in the feed: answered as any cursor that has expired, and counted as a fault of ours. */
export class LostEventsProblem extends Problem<'cursor-expired'> {}

/** The body of a problem, RFC 9457. `requestId` may be a placeholder that API Gateway fills in. */
export const problemBody = (code: ProblemCode, requestId: string, occurrence: object = {}) => {
  const { status, title, detail } = problems[code];
  return { type: `urn:partner-api:problem:${code}`, title, status, detail, code, requestId, ...occurrence };
};
