import { describe, expect, test } from 'vitest';
import { createRouter } from '../../src/gateway/router.ts';

const route = createRouter(
  'root',
  [
    { id: 'keys', parentId: 'root', pathPart: 'api-keys' },
    { id: 'me', parentId: 'keys', pathPart: 'me' },
    { id: 'key', parentId: 'keys', pathPart: '{keyId}' },
    { id: 'rotation', parentId: 'key', pathPart: 'rotation' },
  ],
  [
    { resourceId: 'keys', httpMethod: 'GET', target: 'list' },
    { resourceId: 'me', httpMethod: 'GET', target: 'own' },
    { resourceId: 'key', httpMethod: 'DELETE', target: 'delete' },
    { resourceId: 'rotation', httpMethod: 'POST', target: 'rotate' },
  ],
);

const targetOf = (method: string, path: string) => {
  const match = route(method, path);
  return match && [match.target, match.pathParameters];
};

describe('a path finds its method in every spelling that means the same, and in no other', () => {
  test.each([
    ['GET', '/api-keys', ['list', {}]],
    ['GET', '/api-keys/', ['list', {}]],
    ['GET', '/%61pi-keys', ['list', {}]],
    ['GET', '/api-keys/me', ['own', {}]],
    ['DELETE', '/api-keys/k1', ['delete', { keyId: 'k1' }]],
    ['DELETE', '/api-keys/k%2F1', ['delete', { keyId: 'k/1' }]],
    ['DELETE', '/api-keys/%6B1', ['delete', { keyId: 'k1' }]],
    ['DELETE', '/api-keys/k1;x=1', ['delete', { keyId: 'k1;x=1' }]],
    ['DELETE', '/api-keys/..', ['delete', { keyId: '..' }]],
    ['POST', '/api-keys/k1/rotation', ['rotate', { keyId: 'k1' }]],
    ['GET', '/', undefined],
    ['GET', '/api-keys//', undefined],
    ['GET', '//api-keys', undefined],
    ['GET', '/API-keys', undefined],
    ['GET', '/api-keys;x=1', undefined],
    ['GET', '/api-keys/../api-keys', undefined],
    ['POST', '/api-keys//rotation', undefined],
    ['HEAD', '/api-keys', undefined],
    ['OPTIONS', '/api-keys', undefined],
    ['get', '/api-keys', undefined],
  ])('%s %s', (method, path, expected) => {
    expect(targetOf(method, path)).toEqual(expected);
  });

  test('a literal segment hides the parameter beside it, also where only the parameter has the method', () => {
    expect(targetOf('DELETE', '/api-keys/me')).toBeUndefined();
    expect(targetOf('POST', '/api-keys/me/rotation')).toBeUndefined();
  });

  test('the matched path is named as the template has it', () => {
    expect(route('DELETE', '/api-keys/k1/')).toMatchObject({ resourceId: 'key', resourcePath: '/api-keys/{keyId}' });
  });

  test.each(['/api-keys/%', '/api-keys/%zz', '/api-keys/%ff'])(
    'bad percent-encoding is the client’s mistake: %s',
    (path) => {
      expect(() => route('DELETE', path)).toThrow(expect.objectContaining({ type: 'DEFAULT_4XX', status: 400 }));
    },
  );

  test.each(['a{b}', '{proxy+}'])('a kind of segment that is not served is an error: %s', (pathPart) => {
    expect(() => createRouter('root', [{ id: 'odd', parentId: 'root', pathPart }], [])).toThrow(pathPart);
  });
});
