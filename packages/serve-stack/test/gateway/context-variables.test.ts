import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../src/gateway/exchange.ts';
import { compileGatewayResponses, compileTemplate } from '../../src/gateway/gateway-responses.ts';

describe('a word of the template that the local run cannot fill in is an error before it serves anything', () => {
  test.each(['$context.authorizer.principalId', '$stageVariables.x', '$input.body', '$context.nowhere'])(
    '%s',
    (variable) => {
      expect(() => compileTemplate(`{"x":"${variable}"}`)).toThrow(variable);
    },
  );

  test.each([
    [{ ResponseParameters: { 'gatewayresponse.header.x': 'method.request.header.y' } }, 'method.request.header.y'],
    [{ ResponseParameters: { 'gatewayresponse.body.x': "'y'" } }, 'gatewayresponse.body.x'],
    [{ ResponseTemplates: { 'text/html': '' } }, 'text/html'],
  ])('%j', (properties, message) => {
    expect(() => compileGatewayResponses([{ ResponseType: 'DEFAULT_4XX', ...properties } as never])).toThrow(message);
  });
});

test('a template takes the TLS version and cipher of the connection, and a dash if there is none', () => {
  const fill = compileTemplate('$context.tlsVersion $context.cipherSuite');
  const filled = (tls?: Exchange['request']['tls']) => fill({ request: { tls } } as Exchange);
  expect(filled({ version: 'TLSv1.3', cipherSuite: 'TLS_AES_128_GCM_SHA256' })).toBe('TLSv1.3 TLS_AES_128_GCM_SHA256');
  expect(filled()).toBe('- -');
});
