import { requireKnown, UserFacingError } from '../errors.ts';
import type { IsInIpSet } from '../services/ip-set-service.ts';
import { apiId, type Resolve } from '../template/intrinsics.ts';
import { readResources } from '../template/known-template.ts';
import type { Stack } from '../template/stack.ts';
import { type ApiRequest, type ApiResponse, GatewayError } from './exchange.ts';

/**
 * Inspects a request before API Gateway does. Returns the custom response of a blocking rule that has one; throws WAF_FILTERED
 * for any other block.
 */
export type InspectRequest = (request: ApiRequest) => ApiResponse | undefined;

type CustomResponse = {
  readonly ResponseCode: number;
  readonly CustomResponseBodyKey?: string;
  readonly ResponseHeaders?: readonly { readonly Name: string; readonly Value: string }[];
};

type Action = {
  readonly Allow?: object;
  readonly Block?: { readonly CustomResponse?: CustomResponse };
  readonly Count?: object;
};

type Statement = {
  readonly IPSetReferenceStatement?: { readonly Arn: string };
  readonly NotStatement?: { readonly Statement: Statement };
  readonly OrStatement?: { readonly Statements: readonly Statement[] };
  readonly RateBasedStatement?: RateBasedStatement;
};

type RateBasedStatement = {
  readonly AggregateKeyType: string;
  readonly EvaluationWindowSec?: number;
  readonly Limit: number;
};

type Rule = {
  readonly Name: string;
  readonly Priority: number;
  readonly Action: Action;
  readonly Statement: Statement;
  readonly VisibilityConfig: object;
};

type Bodies = Readonly<Record<string, { readonly Content: string; readonly ContentType: string }>>;

type AclProperties = {
  readonly CustomResponseBodies?: Bodies;
  readonly DefaultAction: Action;
  readonly Rules?: readonly Rule[];
  readonly Scope: string;
};

type AssociationProperties = { readonly ResourceArn: string; readonly WebACLArn: string };

const knownProperties = [
  ...['CustomResponseBodies', 'DefaultAction', 'Description', 'Name', 'Rules', 'Scope', 'Tags', 'VisibilityConfig'],
];

/** Compiles the web ACL of the stage. Without one, every request passes. */
export const compileWebAcl = (
  stack: Stack,
  resolve: Resolve,
  { stageName, isInIpSet }: { readonly stageName: string; readonly isInIpSet: IsInIpSet },
): InspectRequest => {
  const { template, environment } = stack;
  const stageArn = `arn:${environment.partition}:apigateway:${environment.region}::/restapis/${apiId}/stages/${stageName}`;
  const read = <Properties>(type: string, known: readonly string[]) =>
    readResources<Properties>(template, resolve, type, known);
  const acls = read<AclProperties>('AWS::WAFv2::WebACL', knownProperties);
  const associated = read<AssociationProperties>('AWS::WAFv2::WebACLAssociation', ['ResourceArn', 'WebACLArn']).map(
    ({ logicalId, ResourceArn, WebACLArn }) => {
      requireKnown(`resource of ${logicalId}:`, [ResourceArn], [stageArn]);
      return WebACLArn;
    },
  );
  if (associated.length > 1)
    throw new UserFacingError('A stage has one web ACL at most; the template gives it several.');
  const compiled = acls.map((acl) => ({
    arn: resolve<string>({ 'Fn::GetAtt': [acl.logicalId, 'Arn'] }),
    inspect: compileAcl(acl, isInIpSet),
  }));
  return compiled.find(({ arn }) => arn === associated[0])?.inspect ?? (() => undefined);
};

const compileAcl = (
  { logicalId, CustomResponseBodies = {}, DefaultAction, Rules = [], Scope }: AclProperties & { logicalId: string },
  isInIpSet: IsInIpSet,
): InspectRequest => {
  requireKnown(`scope of ${logicalId}:`, [Scope], ['REGIONAL']);
  const rules = Rules.toSorted((one, other) => one.Priority - other.Priority).map((rule) => {
    const known = ['Action', 'Name', 'Priority', 'Statement', 'VisibilityConfig'];
    requireKnown(`member of the rule ${rule.Name}:`, Object.keys(rule), known);
    return {
      matches: compileStatement(rule.Statement, isInIpSet),
      act: compileAction(rule.Action, CustomResponseBodies),
    };
  });
  const actByDefault = compileAction(DefaultAction, CustomResponseBodies);
  return (request) => {
    for (const { matches, act } of rules) {
      const outcome = matches(request) ? act() : 'go on';
      if (outcome !== 'go on') return outcome;
    }
    const outcome = actByDefault();
    return outcome === 'go on' ? undefined : outcome;
  };
};

/** Ends the inspection, with the response of a block that has one, or continues with the next rule. */
type Act = () => ApiResponse | undefined | 'go on';

const compileAction = (action: Action, bodies: Bodies): Act => {
  requireKnown('action of AWS WAF:', Object.keys(action), ['Allow', 'Block', 'Count']);
  if (action.Count) return () => 'go on';
  if (action.Allow) return () => undefined;
  const custom = action.Block?.CustomResponse;
  if (!custom)
    return () => {
      throw new GatewayError('WAF_FILTERED');
    };
  const { ResponseCode, CustomResponseBodyKey = '', ResponseHeaders = [], ...others } = custom;
  requireKnown('member of a response of AWS WAF:', Object.keys(others), []);
  const { Content: body = '', ContentType = 'APPLICATION_JSON' } = bodies[CustomResponseBodyKey] ?? {};
  requireKnown('media type of AWS WAF:', [ContentType], ['APPLICATION_JSON']);
  const headers = ResponseHeaders.map(({ Name, Value }) => [Name, Value] as const);
  return () => ({ status: ResponseCode, headers: [['Content-Type', 'application/json'], ...headers], body });
};

type Matches = (request: ApiRequest) => boolean;

const compileStatement = (statement: Statement, isInIpSet: IsInIpSet): Matches => {
  const known = ['IPSetReferenceStatement', 'NotStatement', 'OrStatement', 'RateBasedStatement'];
  requireKnown('statement of AWS WAF:', Object.keys(statement), known);
  const { IPSetReferenceStatement, NotStatement, OrStatement, RateBasedStatement } = statement;
  if (IPSetReferenceStatement) {
    const { Arn, ...others } = IPSetReferenceStatement;
    requireKnown('member of a reference to an IP set:', Object.keys(others), []);
    return ({ sourceIp }) => isInIpSet(Arn, sourceIp);
  }
  if (NotStatement) {
    const matches = compileStatement(NotStatement.Statement, isInIpSet);
    return (request) => !matches(request);
  }
  if (OrStatement) {
    const all = OrStatement.Statements.map((each) => compileStatement(each, isInIpSet));
    return (request) => all.some((matches) => matches(request));
  }
  if (RateBasedStatement) return compileRate(RateBasedStatement);
  throw new UserFacingError('A rule of AWS WAF has an empty statement.');
};

/** Counts requests exactly, where AWS WAF estimates them with a delay of seconds. */
const compileRate = ({
  AggregateKeyType,
  EvaluationWindowSec = 300,
  Limit,
  ...others
}: RateBasedStatement): Matches => {
  requireKnown('member of a rate of AWS WAF:', Object.keys(others), []);
  requireKnown('key of a rate of AWS WAF:', [AggregateKeyType], ['IP']);
  const arrivals = new Map<string, number[]>();
  return ({ sourceIp, arrivedAtMs }) => {
    const sinceMs = arrivedAtMs - EvaluationWindowSec * 1000;
    const recent = [...(arrivals.get(sourceIp) ?? []).filter((atMs) => atMs > sinceMs), arrivedAtMs];
    arrivals.set(sourceIp, recent);
    return recent.length > Limit;
  };
};
