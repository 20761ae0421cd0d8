import type { APIGatewayProxyEvent } from 'aws-lambda';

/**
 * All values of a header, however the client spelled its name. API Gateway keeps that spelling, so that one header sent
 * in two spellings arrives as two entries; taking either would let a request carry a second, unseen key.
 */
export const headerValues = ({ multiValueHeaders }: APIGatewayProxyEvent, name: string): string[] =>
  Object.entries(multiValueHeaders ?? {})
    .filter(([spelling]) => spelling.toLowerCase() === name)
    .flatMap(([, values]) => values ?? []);
