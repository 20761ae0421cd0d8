import type { Template } from './example-template.ts';

/** What `npm start` prints while it starts. */
export const startPassages = ({ Resources }: Template) => ({
  'start-of-a-run': () => {
    const count = (type: string) => Object.values(Resources).filter(({ Type }) => Type === type).length;
    return [
      '```',
      'Starting DynamoDB Local',
      'Synthesizing the stack',
      `Loading ${count('AWS::Lambda::Function')} functions`,
      `Creating ${count('AWS::DynamoDB::GlobalTable')} tables`,
      'Preparing the demo world',
      '',
      'Serving the synthesized stack at https://localhost:8443/v1',
      '```',
    ].join('\n');
  },
});
