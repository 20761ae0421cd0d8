import { type BrokenTemplate, first } from './broken-template.ts';

/** Describes a defect that somebody might write; it breaks a template and gives the id of what is broken. */
export type Defect = {
  readonly name: string;
  readonly break: (template: BrokenTemplate) => string;
  /** Stands in the sentence that tells of it. */
  readonly said: string;
};

/** Lists defects that the schemas and rules of CloudFormation find: a check of our own for one would be too many. */
export const schemaDefects: readonly Defect[] = [
  {
    name: 'a reference to a resource that is not there',
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
    name: 'a dependency on a resource that is not there',
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
    name: 'a retention that no log group can have',
    break: (template) => {
      const { logicalId, properties } = first(template, 'AWS::Logs::LogGroup');
      properties.RetentionInDays = 31;
      return logicalId;
    },
    said: 'RetentionInDays: 31 is not one of',
  },
  {
    name: 'a schedule that is none',
    break: (template) => {
      const { logicalId, properties } = first(template, 'AWS::Events::Rule', (each) => each.ScheduleExpression);
      properties.ScheduleExpression = 'rate(1 dayz)';
      return logicalId;
    },
    said: "'dayz' is not one of",
  },
];
