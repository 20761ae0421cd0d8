import type { Resolve } from '../template/intrinsics.ts';
import { readResources } from '../template/resources.ts';
import type { Template } from '../template/template.ts';
import { wildcardPattern } from './wildcard-pattern.ts';

type PermissionProperties = {
  readonly Action: string;
  readonly FunctionName: string;
  readonly Principal: string;
  readonly SourceArn?: string;
};

const knownProperties = ['Action', 'FunctionName', 'Principal', 'SourceArn'];

/** Tells whether a function lets a service, `events.amazonaws.com`, invoke it for one of the service's resources. */
export type IsInvocationPermitted = (service: string, functionArn: string, sourceArn: string) => boolean;

/** Compiles what the template's functions permit. */
export const readFunctionPermissions = (template: Template, resolve: Resolve): IsInvocationPermitted => {
  const permissions = readResources<PermissionProperties>(
    template,
    resolve,
    'AWS::Lambda::Permission',
    knownProperties,
  );
  return (service, functionArn, sourceArn) =>
    permissions.some(
      ({ Action, Principal, FunctionName, SourceArn = '*' }) =>
        Action === 'lambda:InvokeFunction' &&
        Principal === service &&
        (FunctionName === functionArn || functionArn.endsWith(`:function:${FunctionName}`)) &&
        wildcardPattern(SourceArn).test(sourceArn),
    );
};
