import { requireKnown } from '../errors/require-known.ts';
import { UserFacingError } from '../errors/user-facing-error.ts';

/** Whoever asks for a resource with a policy of its own: a principal by its ARN, or a service of AWS by its name. */
export type Caller = { readonly arn: string } | { readonly service: string };

/** Tells whether a statement is about whoever asks. */
export type IsMeant = (caller: Caller | undefined) => boolean;

/** Compiles the principals of a statement that stands in no resource's policy, or in one that is for everybody. */
export const everybody = (principal: unknown): IsMeant => {
  requireKnown('policy principal', [JSON.stringify(principal ?? '*')], ['"*"', '{"AWS":"*"}']);
  return () => true;
};

/** Compiles the principals of a statement in the policy of an account's resource. */
export const principalsFor =
  (accountId: string) =>
  (principal: unknown, effect: string): IsMeant => {
    const { aws, services } = principalsIn(principal);
    const tests = aws.map((name) => compileName(name, accountId, effect));
    return (caller) => {
      if (caller === undefined) return false;
      if ('service' in caller) return services.includes(caller.service);
      return tests.some((isMeant) => isMeant(caller.arn));
    };
  };

/** Lists whom a statement names: ARNs, account numbers or `*`, and services. */
export const principalsIn = (principal: unknown): { readonly aws: string[]; readonly services: string[] } => {
  if (principal === '*') return { aws: ['*'], services: [] };
  if (typeof principal !== 'object' || principal === null)
    throw new UserFacingError(
      `A statement of a resource’s policy names no principal, but ${JSON.stringify(principal)}.`,
    );
  requireKnown('kind of policy principal', Object.keys(principal), ['AWS', 'Service']);
  const { AWS = [], Service = [] } = principal as Readonly<Record<string, string | string[]>>;
  return { aws: [AWS].flat(), services: [Service].flat() };
};

const compileName = (name: string, accountId: string, effect: string): ((arn: string) => boolean) => {
  if (name === '*') return () => true;
  const [, account] = /^(?:arn:[^:]+:iam::)?(\d{12})(?::root)?$/.exec(name) ?? [];
  if (account === undefined) return (arn) => arn === name || roleOf(arn) === name;
  // To allow the own account leaves it to the policies of its roles, which are asked anyway.
  if (account === accountId && effect === 'Allow') return () => false;
  return (arn) => accountOf(arn) === account;
};

/** `arn:aws:sts::1:assumed-role/reader/session` → `arn:aws:iam::1:role/reader` */
const roleOf = (arn: string): string => arn.replace(/:sts:(.*):assumed-role\/(.*)\/[^/]*$/, ':iam:$1:role/$2');

export const accountOf = (arn: string): string | undefined => arn.split(':')[4];
