import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, CloudFormationValidatePlugin } from 'aws-cdk-lib';
import type { StageConfig } from '../../../config/schema.ts';
import { stackName } from '../synthesized.ts';
import { type Defect, first } from './defects.ts';

/** Defects that CloudFormation's schemas and rules find, so that no check of our own is needed for them. */
export const schemaDefects: readonly Defect[] = [
  {
    name: 'a reference to an undefined resource',
    break: (template) => {
      const { logicalId, properties } = first(template, 'AWS::ApiGateway::Stage');
      properties.RestApiId = { Ref: 'Missing' };
      return logicalId;
    },
    said: "'Missing' is not one of",
  },
  {
    name: 'an attribute that the type does not have',
    break: (template) => {
      const { logicalId, properties } = first(template, 'AWS::Events::Archive');
      properties.SourceArn['Fn::GetAtt'][1] = 'Arm';
      return logicalId;
    },
    said: "'Arm' is not one of",
  },
  {
    name: 'a dependency on an undefined resource',
    break: (template) => {
      const { logicalId, resource } = first(template, 'AWS::Events::Archive');
      resource.DependsOn = ['Missing'];
      return logicalId;
    },
    said: "DependsOn target 'Missing' does not exist",
  },
  {
    name: 'a circular dependency',
    break: (template) => {
      const { logicalId, resource } = first(template, 'AWS::ApiGateway::RestApi');
      resource.DependsOn = [first(template, 'AWS::ApiGateway::Stage').logicalId];
      return logicalId;
    },
    said: 'Circular Dependencies',
  },
  {
    name: 'more than 500 resources',
    break: (template) => {
      for (let count = 0; count <= 500; count++)
        template.Resources[`Topic${count}`] = { Type: 'AWS::SNS::Topic', Properties: {} };
      return 'The template';
    },
    said: 'maximum is 500',
  },
  {
    name: 'a property that the type does not have',
    break: (template) => {
      const { logicalId, properties } = first(template, 'AWS::Lambda::Function');
      properties.Memory = 256;
      return logicalId;
    },
    said: "'Memory' was unexpected",
  },
  {
    name: 'an index without a key',
    break: (template) => {
      const { logicalId, properties } = first(
        template,
        'AWS::DynamoDB::GlobalTable',
        (each) => each.GlobalSecondaryIndexes,
      );
      delete properties.GlobalSecondaryIndexes[0].KeySchema;
      return logicalId;
    },
    said: "'KeySchema' is a required property",
  },
  {
    name: 'an invalid retention of a log group',
    break: (template) => {
      const { logicalId, properties } = first(template, 'AWS::Logs::LogGroup');
      properties.RetentionInDays = 31;
      return logicalId;
    },
    said: 'RetentionInDays: 31 is not one of',
  },
  {
    name: 'an invalid schedule',
    break: (template) => {
      const { logicalId, properties } = first(template, 'AWS::Events::Rule', (each) => each.ScheduleExpression);
      properties.ScheduleExpression = 'rate(1 dayz)';
      return logicalId;
    },
    said: "'dayz' is not one of",
  },
];

const templatePath = join(mkdtempSync(join(tmpdir(), 'validated-')), 'template.json');
const plugin = new CloudFormationValidatePlugin();
const appConstruct = new App();

/** Runs CloudFormation's schemas and rules as every synth does. Warnings count, since they fail a synth too. */
export const schemaFindingsIn = (template: object, { account, region }: StageConfig): string[] => {
  writeFileSync(templatePath, JSON.stringify(template));
  const stack = { stackConstructPath: stackName, templatePath, accountId: account, region };
  const { violations } = plugin.validate({ appConstruct, templatePaths: [templatePath], stackTemplates: [stack] });
  return violations.flatMap(({ ruleName, description, violatingResources }) =>
    violatingResources.map(
      ({ resourceLogicalId = 'The template' }) => `${resourceLogicalId} ${ruleName} ${description}`,
    ),
  );
};
