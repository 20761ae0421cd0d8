import { dirname } from 'node:path';
import type { IPolicyValidationContext, IPolicyValidationPlugin, PolicyValidationPluginReport } from 'aws-cdk-lib';
import { loadStack, type Template } from '../assembly.ts';
import { checkAlarmMetrics, checkAlarmRules, checkAlarmWindows } from './alarms.ts';
import type { Check, StackPlace } from './check.ts';
import { checkDashboards } from './dashboards.ts';
import { checkDeploymentOrder, checkFixedNames, checkTableKeys } from './deployments.ts';
import { checkPolicySizes } from './policy-sizes.ts';

/** The checks, by their names in the report of a synth. */
export const checks: Readonly<Record<string, Check>> = {
  'alarm-metrics': checkAlarmMetrics,
  'alarm-rules': checkAlarmRules,
  'alarm-windows': checkAlarmWindows,
  dashboards: checkDashboards,
  'deployment-order': checkDeploymentOrder,
  'fixed-names': checkFixedNames,
  'policy-sizes': checkPolicySizes,
  'table-keys': checkTableKeys,
};

/**
 * Fails a synth with a sentence for each fault that CloudFormation's schemas do not cover, and that would otherwise show only
 * in the account: in a deployment that rolls back, or in an alarm that never fires. No check repeats what the compiler, the CDK
 * or a test under the template's roles finds.
 */
export class TemplateChecks implements IPolicyValidationPlugin {
  readonly name = 'PartnerApiTemplate';
  readonly ruleIds = Object.keys(checks);

  validate({ stackTemplates }: IPolicyValidationContext): PolicyValidationPluginReport {
    const violations = stackTemplates.flatMap(({ templatePath, stackConstructPath }) =>
      faultsInAssembly(dirname(templatePath)).map(({ check, logicalId, sentence }) => ({
        ruleName: check,
        severity: 'error',
        description: logicalId ? `${logicalId} ${sentence}` : sentence,
        violatingResources: [
          {
            templatePath,
            locations: [],
            ...(logicalId ? { resourceLogicalId: logicalId } : { constructPath: stackConstructPath }),
          },
        ],
      })),
    );
    return { success: violations.length === 0, violations };
  }
}

const faultsInAssembly = (directory: string) => {
  const { template, ...place } = loadStack(directory);
  return faultsIn(template, place);
};

/** Returns the faults that the checks find in a template, which contains the resources of its nested stacks. */
const faultsIn = (template: Template, place: StackPlace) =>
  Object.entries(checks).flatMap(([name, check]) => check(template, place).map((fault) => ({ check: name, ...fault })));
