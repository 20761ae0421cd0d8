import { requireKnown } from '../errors/require-known.ts';
import { UserFacingError } from '../errors/user-facing-error.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { onlyVersion } from '../template/resource-attributes.ts';
import { readResources } from '../template/resources.ts';
import type { Template } from '../template/template.ts';

/** Holds which version a function runs as, and the ARNs of that version and of the aliases that lead to it. */
export type FunctionVersion = { readonly version: string; readonly qualifiedArns: readonly string[] };

/** Names the code as it was changed last, which nobody has published. */
const latest = '$LATEST';

type VersionProperties = { readonly FunctionName: string };
type AliasProperties = VersionProperties & { readonly FunctionVersion: string };

/**
 * Reads what the template publishes of its functions, which are given by their ARNs. A template describes one state of a
 * function, so it has one version of it at most; an alias that leads to another one, deployed earlier, is an error.
 */
export const readFunctionVersions = (
  template: Template,
  resolve: Resolve,
  functionArns: readonly string[],
): ((functionArn: string) => FunctionVersion) => {
  const read = <Properties>(type: string, known: readonly string[]) =>
    readResources<Properties>(template, resolve, type, known).map((properties) => {
      const arn = resolve<string>({ Ref: properties.logicalId });
      const functionArn = arn.slice(0, arn.lastIndexOf(':'));
      requireKnown(`function of ${properties.logicalId}:`, [functionArn], functionArns);
      return { ...properties, arn, functionArn };
    });
  const versions = read<VersionProperties>('AWS::Lambda::Version', ['Description', 'FunctionName']);
  const aliases = read<AliasProperties>('AWS::Lambda::Alias', [
    ...['Description', 'FunctionName', 'FunctionVersion', 'Name'],
  ]);
  return (functionArn) => {
    const [published, other] = versions.filter((each) => each.functionArn === functionArn);
    if (published && other)
      throw new UserFacingError(
        `${published.logicalId} and ${other.logicalId} publish one state of one function, which Lambda refuses.`,
      );
    const version = published ? onlyVersion : latest;
    const leading = aliases.filter((each) => each.functionArn === functionArn);
    for (const { logicalId, FunctionVersion } of leading)
      requireKnown(`version that ${logicalId} leads to:`, [FunctionVersion], [version]);
    return { version, qualifiedArns: [...(published ? [published] : []), ...leading].map(({ arn }) => arn) };
  };
};
