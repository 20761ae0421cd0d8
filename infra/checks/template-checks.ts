import { dirname } from 'node:path';
import type { IPolicyValidationContext, IPolicyValidationPlugin, PolicyValidationPluginReport } from 'aws-cdk-lib';
import { loadStack } from 'serve-stack/template';
import { checkAlarmMetrics, checkAlarmRules, checkAlarmWindows } from './alarms.ts';
import { checkDashboards } from './dashboards.ts';
import { checkDeploymentOrder, checkFixedNames, checkPolicySizes, checkTableKeys } from './deployments.ts';
import type { Check, Template } from './template.ts';

/** Names the checks as the report of a synth does. */
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

/** Lets a synth fail with a sentence for each fault that the schemas of CloudFormation do not know. */
export class TemplateChecks implements IPolicyValidationPlugin {
  readonly name = 'PartnerApiTemplate';
  readonly ruleIds = Object.keys(checks);

  validate({ stackTemplates }: IPolicyValidationContext): PolicyValidationPluginReport {
    const violations = stackTemplates.flatMap(({ templatePath, stackConstructPath }) =>
      faultsIn(loadStack(dirname(templatePath)).template).map(({ check, logicalId, sentence }) => ({
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

const faultsIn = (template: Template) =>
  Object.entries(checks).flatMap(([name, check]) => check(template).map((fault) => ({ check: name, ...fault })));
