import { first } from './broken-template.ts';
import type { Defect } from './schema-defects.ts';

/** Lists defects in what API Gateway, Lambda and CloudFormation itself are told, by the check that finds them. */
export const apiDefects: Readonly<Record<string, readonly Defect[]>> = {
  'deployment-order': [
    {
      name: 'a deployment that does not wait for a method',
      break: (template) => {
        const { logicalId, resource } = first(template, 'AWS::ApiGateway::Deployment');
        const method = first(template, 'AWS::ApiGateway::Method').logicalId;
        resource.DependsOn = resource.DependsOn?.filter((id) => id !== method) ?? [];
        return logicalId;
      },
      said: 'may be made before Apiapikeys',
    },
    {
      name: 'a deployment that waits for nothing',
      break: (template) => {
        const { logicalId, resource } = first(template, 'AWS::ApiGateway::Deployment');
        delete resource.DependsOn;
        return logicalId;
      },
      said: 'add these to DependsOn.',
    },
  ],
  'fixed-names': [
    {
      name: 'a table with a fixed name, whose key can never change',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::DynamoDB::GlobalTable');
        properties.TableName = 'ApiKeys';
        return logicalId;
      },
      said: 'has the fixed TableName ApiKeys, under which it can never be replaced, as a change of KeySchema or',
    },
    {
      name: 'an archive with a fixed name, whose bus can never change',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::Events::Archive');
        properties.ArchiveName = { 'Fn::Sub': `\${AWS::StackName}-key-notices` };
        return logicalId;
      },
      said: 'has the fixed ArchiveName AWS::StackName-key-notices, under which it can never be replaced, as a change of SourceArn requires; leave',
    },
  ],
};
